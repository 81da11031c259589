// Practice: short tasks in the page, one after the other. `practice_tasks.js` draws them, `progress.js`
// keeps what was answered, and the page that has all of them also loads `practice_bank.js`.
"use strict";

const pfPracticeSite = new URL(".", document.currentScript.src);
const pfPracticeTasks = new Map(); // by chapter, once its script has run
let pfPracticeCounts = {};

/** What a chapter's script calls. */
function pfPractice(chapter, tasks) {
  pfPracticeTasks.set(chapter, tasks);
}

const pfSession = (() => {
  const { make, button } = pfTasks;

  /** Run a script of the folder of tasks, as a page that was opened from a disk may as well. */
  function fetchScript(name) {
    return new Promise((resolve, reject) => {
      const script = make("script", { src: String(new URL(`practice/${name}.js`, pfPracticeSite)) });
      script.onload = resolve;
      script.onerror = () => reject(new Error("The tasks could not be loaded. Is the network there?"));
      document.head.append(script);
    });
  }

  async function tasksOf(chapter) {
    if (!pfPracticeTasks.has(chapter)) await fetchScript(chapter);
    return pfPracticeTasks.get(chapter);
  }

  /** Show tasks one after the other in `place`; `leave` makes what comes after the last one. */
  function run(place, tasks, leave) {
    let right = 0;
    const show = (number) => {
      const task = tasks[number];
      let first = null;
      const last = number === tasks.length - 1;
      const next = button(last ? "Skip this task" : "Skip to the next task", () => (last ? end() : show(number + 1)));
      const answered = (well, state) => {
        if (first === null) {
          first = well;
          pfProgress.record(task.id, well);
          right += well;
        }
        if (state === "done") next.textContent = last ? "Finish" : "Next task";
      };
      const title = make("p", { class: "pf-practice-title", tabIndex: -1 },
        make("strong", { text: pfTasks.kinds[task.kind] }), ` ${task.title} `,
        make("span", { class: "pf-practice-number", text: `${number + 1} of ${tasks.length}` }));
      place.replaceChildren(title,
        pfTasks.about(task),
        pfTasks.draw(task, answered), make("div", { class: "pf-practice-buttons" }, next));
      title.focus({ preventScroll: true });
      if (place.getBoundingClientRect().top < 0) place.scrollIntoView({ block: "start" });
    };
    const end = () => {
      const said = make("p", { tabIndex: -1, text: `You got ${right} of ${tasks.length} at the first try.` });
      place.replaceChildren(said, make("div", { class: "pf-practice-buttons" }, ...leave(() => run(place, tasks, leave))));
      said.focus();
    };
    show(0);
  }

  /** The box of a chapter's page: a few tasks, and a link to all others. */
  function enliven(box) {
    const place = make("div");
    const start = async () => {
      try {
        const all = await tasksOf(box.dataset.chapter);
        const tasks = box.dataset.tasks.split(" ").map((id) => all.find((task) => task.id === id));
        run(place, tasks, (again) => [
          button("Once more", again),
          make("a", { href: String(new URL("../book/practice.html", pfPracticeSite)), text: "More tasks like these" }),
        ]);
      } catch (error) {
        place.append(make("p", { role: "status", text: error.message }));
      }
    };
    place.append(make("div", { class: "pf-practice-buttons" }, button("Start", start)));
    box.append(place);
  }

  document.querySelectorAll(".pf-practice[data-chapter]").forEach(enliven);
  return { fetchScript, tasksOf, run };
})();
