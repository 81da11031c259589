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

/** A number as people type it: "1,204", "0,5" and "−2" too; NaN for anything else. */
function read(text) {
  const plain = text.trim().replace("−", "-").replace(/,(?=\d{3}(\D|$))/g, "").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
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
  const choices = question.querySelectorAll(".pf-choices > li");
  choices.forEach((choice, i) => {
    const button = document.createElement("button");
    button.type = "button";
    if (choice.querySelector(".math")) {
      // A drawn formula has no words; its source, as far as it is read aloud, does.
      button.setAttribute("aria-label", choice.textContent.trim().replace(/\\[()]/g, ""));
    }
    button.append(...choice.firstElementChild.childNodes);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const each of question.querySelectorAll(".pf-choices button")) {
        each.setAttribute("aria-pressed", String(each === button));
      }
      button.classList.add(items[i].right ? "pf-is-right" : "pf-is-wrong");
      reply(place, items[i].right, items[i].said);
    });
    choice.replaceChildren(button);
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
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = read(box.value);
      const near = (item) => Math.abs(value - Number(item.text)) <= (item.right ? Number(question.dataset.within) : 0);
      if (Number.isNaN(value)) {
        place.className = "pf-reply";
        place.textContent = "Type a number, such as 12 or 0.5.";
        return;
      }
      const found = items.find(near) ?? items.at(-1);
      reply(place, found.right, found.said);
    });
    question.insertBefore(form, fold);
  }
  question.insertBefore(place, fold);
  fold.hidden = true; // its sentences are copied from there, formulas drawn
  questions += 1;
}

document.querySelectorAll(".pf-question").forEach(enliven);
