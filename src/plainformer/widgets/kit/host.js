// The host of widgets in a static page: what Jupyter is elsewhere, in some tens of lines.
//
// Each widget of the page is <div class="pf-widget" data-pf-widget="NAME"> with its state as JSON
// and a picture (.pf-fallback) drawn by Python. The host gives the state to the module NAME/view as
// an anywidget model, lets it draw, and only then hides the picture. A widget that is not laid out
// yet (a hidden tab, a closed fold) draws when it is.
//
// Modules arrive as text, through plainformer.module(name, imports, text), and become blob: URLs,
// because a page opened as file:// may not import files. Which modules a text imports, Python says.

(() => {
  if (window.plainformer) return;

  const modules = new Map(); // name -> { imports: path as written -> name, text: an ES module }
  const urls = new Map(); // name -> its blob: URL
  const widgets = []; // what has been drawn: {name, el, model}, for tests and the curious
  const seen = new WeakSet();

  function url(name) {
    if (!urls.has(name)) {
      const found = modules.get(name);
      if (!found) throw new Error(`the page does not carry the module "${name}"`);
      let { text } = found;
      for (const [path, other] of Object.entries(found.imports)) {
        text = text.replace(`from "${path}";`, `from "${url(other)}";`);
      }
      urls.set(name, URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    }
    return urls.get(name);
  }

  // A widget's name in links to it; the second of a kind is "NAME.1".
  function nameOf(root) {
    const name = root.dataset.pfWidget;
    const number = [...document.querySelectorAll(`[data-pf-widget="${name}"]`)].indexOf(root);
    return number ? `${name}.${number}` : name;
  }

  // The part of the anywidget model that a widget without a kernel needs.
  function makeModel(state) {
    const listeners = new Map();
    const tell = (event, ...data) => [...(listeners.get(event) ?? [])].forEach((f) => f(...data));
    const model = {
      get: (key) => state[key],
      set(key, value) {
        if (Object.is(state[key], value)) return;
        state[key] = value;
        tell(`change:${key}`, model, value);
        tell("change", model);
      },
      save_changes() {}, // there is no one to tell
      send() {},
      on(event, listener) {
        if (!listeners.has(event)) listeners.set(event, new Set());
        listeners.get(event).add(listener);
      },
      off(event, listener) {
        if (event === undefined) listeners.clear();
        else if (listener === undefined) listeners.delete(event);
        else listeners.get(event)?.delete(listener);
      },
    };
    return model;
  }

  // A link leads to a widget: what it is folded into opens.
  function unfold(root) {
    const fold = root.closest("details:not([open])");
    if (fold) (fold.open = true), unfold(fold);
  }

  async function draw(root) {
    const name = root.dataset.pfWidget;
    const el = document.createElement("div");
    el.className = "pf-live";
    try {
      const [{ default: widget }, links] = await Promise.all(
        [`${name}/view`, "kit/links"].map((each) => import(url(each))),
      );
      const model = makeModel(JSON.parse(root.querySelector("script").textContent));
      const link = links.link({ model, name: nameOf(root) });
      root.append(el);
      await widget.initialize?.({ model });
      await widget.render({ model, el });
      el.querySelector(".pf-tools")?.append(link.button);
      if (link.isHere) root.scrollIntoView();
      root.dataset.pfReady = "";
      widgets.push({ name, el, model });
      widgets.sort((a, b) => (follows(a.el, b.el) ? 1 : -1)); // in the order of the page
    } catch (error) {
      el.remove();
      root.dataset.pfError = String(error?.message ?? error);
      const note = document.createElement("p");
      note.className = "pf-note";
      note.textContent = "This figure could not be made live in your browser. Its picture is here.";
      root.append(note);
      console.error(`plainformer: the widget "${name}" did not start.`, error);
    }
  }

  const follows = (a, b) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_PRECEDING;

  // A box that is not laid out has no width; the observer reports when it gets one.
  const shown = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (contentRect.width === 0) continue;
      shown.unobserve(target);
      draw(target);
    }
  });

  // Before the page is complete, only widgets whose modules are all here are looked for.
  let complete = document.readyState === "complete";

  function scan(within = document) {
    for (const root of within.querySelectorAll(".pf-widget[data-pf-widget]")) {
      if (seen.has(root)) continue;
      if (!complete && !modules.has(`${root.dataset.pfWidget}/view`)) continue;
      seen.add(root);
      if (new URLSearchParams(location.search).get("toy") === nameOf(root)) unfold(root);
      shown.observe(root);
    }
  }

  // The scripts of a page run in order, a widget's view last: with it the widget can be drawn, and
  // need not wait for what the page brings behind it.
  function module(name, imports, text) {
    modules.set(name, { imports, text });
    const parsed = document.readyState !== "loading";
    if (!complete && parsed && name.endsWith("/view")) setTimeout(scan);
  }

  window.plainformer = { widgets, scan, module };
  if (complete) setTimeout(scan);
  else {
    addEventListener("DOMContentLoaded", () => {
      complete = true;
      setTimeout(scan);
    });
  }
})();
