// Keeps what is set as soon as it is set. Nothing here reads what a student wrote.
"use strict";

const question = Number(document.body.dataset.question);
const forms = [...document.querySelectorAll("form[data-student]")];
const left = document.getElementById("left");

const filled = (form) => ({
  question,
  student: form.dataset.student,
  points: form.elements.points.value,
  comment: form.elements.comment.value,
  rubric: [...form.querySelectorAll('input[name="rubric"]:checked')].map((each) => each.value),
});

const state = new Map();
for (const form of forms) {
  state.set(form, { kept: JSON.stringify(filled(form)), running: null });
}

function say(form, text, failed = false) {
  const line = form.querySelector('[role="status"]');
  line.textContent = text;
  line.classList.toggle("failed", failed);
  form.elements.points.setAttribute("aria-invalid", String(failed));
}

async function send(form) {
  const now = JSON.stringify(filled(form));
  const known = state.get(form);
  if (now === known.kept) return true;
  try {
    const reply = await fetch("save", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: now,
    });
    const said = await reply.json();
    if (!reply.ok) throw new Error(said.error);
    known.kept = now;
    form.classList.toggle("waiting", said.waiting);
    say(form, `Kept. ${said.said}`);
    left.textContent = said.left ? `${said.left} to mark.` : "All have points.";
    return true;
  } catch (error) {
    const gone = error instanceof TypeError; // no reply at all
    say(form, gone ? "Not kept: is plainformer-class still running?" : `Not kept: ${error.message}`, true);
    return false;
  }
}

// One after the other for each answer, so that the last change is the one that stays.
function keep(form) {
  const known = state.get(form);
  known.running = (known.running ?? Promise.resolve()).then(() => send(form));
  return known.running;
}

async function next(form) {
  const kept = await keep(form);
  const following = forms[forms.indexOf(form) + 1];
  if (kept && following) {
    following.elements.points.focus();
    following.closest("article").scrollIntoView({ block: "start" });
  }
}

for (const form of forms) {
  form.addEventListener("change", () => keep(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    next(form);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target.name === "points")) {
      event.preventDefault();
      next(form);
    }
  });
}

addEventListener("beforeunload", (event) => {
  if (forms.some((form) => state.get(form).kept !== JSON.stringify(filled(form)))) {
    event.preventDefault();
  }
});
