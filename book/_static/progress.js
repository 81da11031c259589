// What a reader has done: tasks, answers to questions, and exercises passed in notebooks. It is kept
// in this browser, exported and imported as a file, and sent nowhere.
"use strict";

const pfProgress = (() => {
  const KEY = "plainformer.progress";
  const DAYS = [0, 1, 2, 4, 8, 16, 32]; // until a task comes back, by how often in a row it was right
  const today = () => Math.floor(Date.now() / 86_400_000);
  let memory = null; // where the browser keeps nothing, the page does until it is closed

  const PARTS = {
    tasks: ([id, each]) => /^[\w.]+\/[\w-]+$/.test(id) && Number.isInteger(each?.row) && Number.isInteger(each?.due),
    answers: ([, text]) => typeof text === "string",
    passed: ([id, yes]) => /^[\w.]+\.\d+$/.test(id) && yes === true,
  };

  /** The entries that this script may have written; anything else in a file or in the store is dropped. */
  function valid(kept) {
    const part = ([name, good]) => [name, Object.fromEntries(Object.entries(kept?.[name] ?? {}).filter(good))];
    return Object.fromEntries(Object.entries(PARTS).map(part));
  }

  function all() {
    if (memory) return memory;
    try {
      return valid(JSON.parse(localStorage.getItem(KEY)));
    } catch {
      return valid(null);
    }
  }

  function keep(kept) {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      memory = kept; // a private window, or a store that is full
    }
  }

  function add(more) {
    const kept = all();
    for (const name of Object.keys(PARTS)) Object.assign(kept[name], more[name]);
    keep(kept);
  }

  const ofChapter = (entries, chapter) => Object.keys(entries).filter((id) => id.startsWith(`${chapter}.`));

  return {
    /** Keep the first answer to a task: a right one comes back later, and a wrong one today. */
    record(id, right) {
      const row = right ? Math.min((all().tasks[id]?.row ?? 0) + 1, DAYS.length - 1) : 0;
      add({ tasks: { [id]: { row, due: today() + DAYS[row] } } });
    },
    seen: (id) => id in all().tasks,
    due: (id) => all().tasks[id]?.due <= today(),
    /** The number of days until the next task is due, or null if none was done yet. */
    next() {
      const days = Object.values(all().tasks).map(({ due }) => due - today());
      return days.length ? Math.max(0, Math.min(...days)) : null;
    },
    /** How many tasks of a chapter were right the last time, and how many of its exercises were passed. */
    of(chapter) {
      const { tasks, passed } = all();
      return {
        right: ofChapter(tasks, chapter).filter((id) => tasks[id].row > 0).length,
        passed: ofChapter(passed, chapter).length,
      };
    },
    /** The answer that was last given to a question, by the page and the question's text. */
    answer: (question) => all().answers[question],
    keepAnswer: (question, text) => add({ answers: { [question]: text } }),
    clear: () => keep(valid(null)),
    write: () => JSON.stringify({ course: "plainformer", ...all() }, null, 1),
    /** Add the entries of an exported file, and return their number; throws an Error that says what is wrong. */
    read(text) {
      let file = null;
      try {
        file = JSON.parse(text);
      } catch {
        // Said below.
      }
      if (file?.course !== "plainformer") throw new Error("This is not a file that the button Export has written.");
      const found = valid(file);
      add(found);
      return Object.values(found).reduce((sum, part) => sum + Object.keys(part).length, 0);
    },
    /** Add the exercises in the line that `points()` prints: "passed: attention.masking 1 3, …". */
    readPoints(line) {
      const found = {};
      for (const [, chapter, numbers] of line.replace(/^\s*passed:/i, "").matchAll(/(\w+\.\w+)((?:\s+\d+)+)/g)) {
        for (const number of numbers.trim().split(/\s+/)) found[`${chapter}.${number}`] = true;
      }
      const count = Object.keys(found).length;
      if (!count) throw new Error("Paste the line that begins with “passed:”, which points() prints at its end.");
      add({ passed: found });
      return count;
    },
  };
})();
