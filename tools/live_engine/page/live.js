// "Edit and run": turns the code cells of a page into cells that a reader changes and runs. Python is
// fetched when a cell is run for the first time, and lives in a worker until the page is left.

(() => {
  const script = document.currentScript;
  const { cells, missing } = JSON.parse(script.dataset.live);
  const WORKER = new URL("worker.js", script.src);
  const SELECTOR = "div.cell_input pre"; // the same as in cells.py
  const FROM_DISK = location.protocol === "file:";

  let worker = null;
  let runs = 0;
  const waiting = new Map(); // a run's number -> the cell that waits for it
  const ran = new Set(); // of this worker's cells, those whose names are there

  const made = (name, attributes = {}, ...children) => {
    const el = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, value);
    el.append(...children);
    return el;
  };
  const button = (text, onPress, attributes) => {
    const el = made("button", { type: "button", class: "pf-live-button", ...attributes }, text);
    el.addEventListener("click", onPress);
    return el;
  };

  function connect() {
    worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = ({ data }) => waiting.get(data.run)?.hear(data);
    worker.onerror = (event) => {
      const problem = event.message || "Python could not be started here.";
      for (const cell of [...waiting.values()]) cell.hear({ problem });
      disconnect();
    };
  }

  function disconnect() {
    worker?.terminate();
    worker = null;
    waiting.clear();
    ran.clear();
  }

  /** What has to run before a cell so that its names are there: the cells above that did not yet. */
  function before(number) {
    const sources = [];
    for (const cell of live.slice(0, number)) {
      if (ran.has(cell.number) || (cell.known.runs && cell.known.exercise)) continue;
      const source = cell.known.runs ? cell.source() : cell.known.before;
      if (source) sources.push(source);
      ran.add(cell.number);
    }
    return sources;
  }

  class LiveCell {
    constructor(pre, known, number) {
      Object.assign(this, { pre, known, number, original: pre.textContent.replace(/\n$/, "") });
      this.editor = null;
      if (known.runs) this.offer();
      else if (known.exercise) this.excuse();
    }

    source() {
      return this.editor ? this.editor.value : this.original;
    }

    offer() {
      this.bar = made("div", { class: "pf-live-bar" }, button("Edit and run", () => this.open()));
      this.frame().after(this.bar);
    }

    excuse() {
      const names = missing.includes("numpy") ? "NumPy or PyTorch" : "PyTorch";
      const text = `This exercise needs ${names}, so it runs in the notebook and not in the page.`;
      this.frame().after(made("p", { class: "pf-live-note" }, text));
    }

    frame() {
      return this.pre.closest("div.cell_input");
    }

    open() {
      const label = `Code of cell ${this.number + 1}; Control and Enter run it`;
      this.editor = made("textarea", {
        class: "pf-live-code",
        "aria-label": label,
        spellcheck: "false",
        autocapitalize: "off",
        autocomplete: "off",
        wrap: "off",
      });
      this.editor.value = this.original;
      this.editor.addEventListener("input", () => this.fit());
      this.editor.addEventListener("keydown", (event) => this.key(event));
      this.status = made("span", { class: "pf-live-status", role: "status" });
      this.output = made("pre", {
        class: "pf-live-output",
        tabindex: "0",
        role: "group",
        "aria-label": "What it prints",
        hidden: "",
      });
      this.runs = button("Run", () => this.run());
      this.stops = button("Stop", () => this.stop(), { hidden: "" });
      const back = button("Original", () => {
        this.editor.value = this.original;
        this.fit();
        this.editor.focus();
      });
      this.bar.replaceChildren(this.runs, this.stops, back, this.status);
      this.pre.hidden = true;
      this.frame().classList.add("pf-live-open");
      this.pre.after(this.editor);
      this.bar.after(this.output);
      this.fit();
      this.editor.focus();
    }

    fit() {
      this.editor.rows = Math.max(2, this.editor.value.split("\n").length);
    }

    key(event) {
      if (event.key !== "Enter") return;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.run();
      } else if (!event.shiftKey) {
        // A new line begins as far in as the one before, and further in after a colon.
        const { value, selectionStart: start } = this.editor;
        const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
        const indent = /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "    " : "");
        if (!indent) return;
        event.preventDefault();
        this.editor.setRangeText(`\n${indent}`, start, this.editor.selectionEnd, "end");
        this.fit();
      }
    }

    say(text) {
      this.status.textContent = text;
    }

    run() {
      if (FROM_DISK) {
        this.say("Python can only be started on a page that comes from a web server, such as that of make serve.");
        return;
      }
      if (!this.stops.hidden) return; // it runs already
      this.say(worker ? "Waiting …" : "Fetching Python, once for this page …");
      if (!worker) connect();
      runs += 1;
      waiting.set(runs, this);
      this.output.textContent = "";
      this.output.hidden = true;
      this.stops.hidden = false;
      ran.delete(this.number);
      worker.postMessage({ run: runs, before: before(this.number), source: this.source() });
    }

    stop() {
      const cells = [...waiting.values()];
      disconnect();
      for (const cell of cells) cell.end("Stopped. Names from all cells are gone; running a cell brings back those it needs.");
    }

    hear({ run, text, running, done, wrong, problem }) {
      if (running) this.say("Running …");
      if (text) this.print(text);
      if (wrong) this.print(wrong, "pf-live-wrong");
      if (problem) {
        disconnect(); // the next run tries again
        this.end(`Python could not be started: ${problem}`);
      }
      if (done) {
        waiting.delete(run);
        if (!wrong) ran.add(this.number);
        this.end(wrong ? "It ended with an error." : "Done.");
      }
    }

    print(text, kind = "") {
      this.output.append(made("span", kind ? { class: kind } : {}, text));
      this.output.hidden = false;
    }

    end(text) {
      this.stops.hidden = true;
      this.say(text);
      if (document.activeElement === document.body) this.runs.focus();
    }
  }

  const live = [...document.querySelectorAll(SELECTOR)].map((pre, i) => new LiveCell(pre, cells[i], i));
})();
