// Questions in the text: makes buttons of the choices, or a box for a number, and says something to
// each answer. What is said stands on the page, in the fold "Answer".
"use strict";

let questions = 0;

/** Show what is said to an answer, and say it. */
function reply(place, right, said) {
  const verdict = document.createElement("strong");
  verdict.textContent = right ? "✓ Right. " : "✗ Not quite. ";
  place.replaceChildren(verdict, ...[...said.childNodes].map((node) => node.cloneNode(true)));
  place.className = right ? "pf-reply pf-is-right" : "pf-reply pf-is-wrong";
}

/** Bring what was said into view, where it came below or above what the reader sees. */
function bringIntoView(place) {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  place.scrollIntoView({ block: "nearest", behavior: isCalm ? "auto" : "smooth" });
}

/** A number as people type it: " 3 ", "−2", "0,5", "1_000", "1,204,000"; NaN for anything else.
 *
 * "1,204" is 1204 to one reader and 1.204 to another: NaN too, and the reader is asked for another form.
 */
function read(text) {
  const plain = text.trim().replace(/^[−–]/, "-").replace(/^([-+])\s+/, "$1");
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return Number(plain);
  if (twofold(plain)) return NaN;
  if (/^[-+]?\d*,\d+$/.test(plain)) return Number(plain.replace(",", "."));
  const grouped = /^[-+]?\d{1,3}([,_'’\s])\d{3}(\1\d{3})*(\.\d+)?$/.test(plain);
  return grouped ? Number(plain.replace(/[,_'’\s]/g, "")) : NaN;
}

/** True for one comma, and three digits behind it, which may be thousandths or what follows thousands. */
const twofold = (plain) => /^[-+]?[1-9]\d{0,2},\d{3}$/.test(plain);

/** What to say to what is not read as a number. */
function refusal(text) {
  const plain = text.trim().replace(/^[−–]\s*/, "-");
  if (!twofold(plain)) return "Type a number, such as 12 or 0.5.";
  return `Type it without the comma: ${plain.replace(",", "")}, or ${plain.replace(",", ".")}.`;
}

function enliven(question) {
  const fold = question.querySelector(".pf-answers");
  const items = [...fold.querySelectorAll(".pf-replies > dt")].map((term) => ({
    text: term.textContent.trim(),
    right: term.classList.contains("pf-right"),
    said: term.nextElementSibling.querySelector("p"),
  }));
  const place = document.createElement("p");
  place.setAttribute("role", "status");
  const progress = typeof pfProgress === "object" ? pfProgress : null;
  const known = `${document.title}: ${question.querySelector(".pf-box-claim").textContent}`;
  const before = progress?.answer(known);
  const choices = question.querySelectorAll(".pf-choices > li");
  choices.forEach((choice, i) => {
    const button = document.createElement("button");
    button.type = "button";
    if (choice.querySelector("math")) {
      // Not every screen reader finds words in a formula; its source, read aloud, has some.
      const words = choice.cloneNode(true);
      for (const formula of words.querySelectorAll("math")) {
        formula.replaceWith(formula.querySelector("annotation").textContent);
      }
      button.setAttribute("aria-label", words.textContent.trim());
    }
    button.append(...choice.firstElementChild.childNodes);
    button.setAttribute("aria-pressed", "false");
    const choose = () => {
      for (const each of question.querySelectorAll(".pf-choices button")) {
        each.setAttribute("aria-pressed", String(each === button));
      }
      if (items[i].right) button.classList.add("pf-is-right"); // it stays marked
      reply(place, items[i].right, items[i].said);
    };
    button.addEventListener("click", () => {
      choose();
      bringIntoView(place);
      progress?.keepAnswer(known, items[i].text);
    });
    choice.replaceChildren(button);
    if (before === items[i].text) choose();
  });
  if (!choices.length) {
    const form = document.createElement("form");
    const label = document.createElement("label");
    const box = document.createElement("input");
    const button = document.createElement("button");
    label.textContent = "Your number";
    label.htmlFor = box.id = `pf-question-${questions}`;
    Object.assign(box, { inputMode: "decimal", autocomplete: "off", maxLength: 20, required: true });
    button.textContent = "Check";
    form.append(label, box, button);
    const answer = () => {
      const value = read(box.value);
      const near = (item) => Math.abs(value - Number(item.text)) <= (item.right ? Number(question.dataset.within) : 0);
      if (Number.isNaN(value)) {
        place.className = "pf-reply";
        place.textContent = refusal(box.value);
        return;
      }
      const found = items.find(near) ?? items.at(-1);
      reply(place, found.right, found.said);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer();
      bringIntoView(place);
      progress?.keepAnswer(known, box.value);
    });
    if (before !== undefined) {
      box.value = before;
      answer();
    }
    question.insertBefore(form, fold);
  }
  question.insertBefore(place, fold);
  fold.hidden = true; // its sentences are copied from there, formulas drawn
  questions += 1;
}

document.querySelectorAll(".pf-question").forEach(enliven);
