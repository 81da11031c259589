// The page *Practice*: all tasks of the book by part and chapter, what is due, and the reader's own file.
"use strict";

(() => {
  const { make, button } = pfTasks;
  const SESSION = 10; // tasks in a row

  function shuffled(items) {
    const left = [...items];
    return items.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
  }

  /** New tasks of these chapters and those that are due; where there are none, any of them. */
  async function drawn(chapters, wanted) {
    const all = (await Promise.all(chapters.map(pfSession.tasksOf))).flat();
    const due = all.filter(({ id }) => pfProgress.due(id));
    const fresh = wanted === "due" ? [] : all.filter(({ id }) => !pfProgress.seen(id));
    const some = [...shuffled(due), ...shuffled(fresh)].slice(0, SESSION);
    return some.length || wanted === "due" ? some : shuffled(all).slice(0, SESSION);
  }

  function enliven(box) {
    const chapters = JSON.parse(box.dataset.bank);
    const ids = chapters.map(([id]) => id);
    const place = make("div");
    const status = make("p", { role: "status", class: "pf-reply" });
    box.append(place, status);

    async function start(ids, wanted) {
      status.textContent = "";
      try {
        const tasks = await drawn(ids, wanted);
        if (tasks.length) pfSession.run(place, tasks, () => [button("Back to the chapters", list)]);
        else status.textContent = nothingDue();
      } catch (error) {
        status.textContent = error.message;
      }
    }

    function nothingDue() {
      const days = pfProgress.next();
      if (days === null) return "Nothing is due, because you have not practised yet. Choose a chapter.";
      return `Nothing is due today; the next task comes ${days === 1 ? "tomorrow" : `in ${days} days`}.`;
    }

    function chapterButton([id, , title]) {
      const { right, passed } = pfProgress.of(id);
      const of = pfPracticeCounts[id];
      const exercises = passed ? `, ${passed} exercise${passed > 1 ? "s" : ""} passed` : "";
      const made = button(title, () => start([id]));
      made.append(make("span", { class: "pf-practice-number", text: ` ${right} of ${of}${exercises}` }));
      made.setAttribute("aria-label", `${title}: ${right} of ${of} tasks right${exercises}`);
      return make("li", {}, made);
    }

    function list() {
      const parts = new Map();
      for (const each of chapters) parts.set(each[1], [...(parts.get(each[1]) ?? []), each]);
      place.replaceChildren(
        make("div", { class: "pf-practice-buttons" },
          button("What is due", () => start(ids, "due")),
          button("Surprise me", () => start(ids))),
        ...[...parts].flatMap(([part, listed]) => [
          make("p", { class: "pf-practice-label", text: part }),
          make("ul", { class: "pf-practice-chapters", "aria-label": part }, ...listed.map(chapterButton)),
        ]),
        make("p", { class: "pf-practice-label", text: "Your progress" }),
        make("div", { class: "pf-practice-buttons" },
          button("Export", exported), make("label", { class: "pf-practice-file" }, "Import ",
            make("input", { type: "file", accept: ".json,application/json", onchange: imported })),
          button("Clear", cleared)),
        make("form", { onsubmit: pasted },
          make("label", { htmlFor: "pf-practice-points", text: "From a notebook" }),
          make("input", { id: "pf-practice-points", name: "line", placeholder: "passed: attention.masking 1 2", autocomplete: "off", required: true }),
          make("button", { text: "Add" })));
    }

    function exported() {
      const file = new Blob([pfProgress.write()], { type: "application/json" });
      const link = make("a", { href: URL.createObjectURL(file), download: "plainformer-practice.json" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      status.textContent = "Your progress is in the file plainformer-practice.json.";
    }

    async function imported(event) {
      try {
        const read = pfProgress.read(await event.target.files[0].text());
        list();
        status.textContent = `${read} entries were added to your progress.`;
      } catch (error) {
        status.textContent = error.message;
      }
    }

    function pasted(event) {
      event.preventDefault();
      try {
        const count = pfProgress.readPoints(event.target.elements.line.value);
        list();
        status.textContent = `${count} exercise${count > 1 ? "s were" : " was"} added to your progress.`;
      } catch (error) {
        status.textContent = error.message;
      }
    }

    function cleared() {
      const kept = pfProgress.write();
      pfProgress.clear();
      list();
      status.replaceChildren("Your progress is cleared. ", button("Undo", () => {
        pfProgress.read(kept);
        list();
        status.textContent = "Your progress is back.";
      }));
    }

    list();
    pfSession.fetchScript("counts").then(list, (error) => { status.textContent = error.message; });
  }

  document.querySelectorAll(".pf-practice[data-bank]").forEach(enliven);
})();
