// The lab's model in a GlassModel below the lab: "Look inside".
//
// The code of the glass model comes when a reader first asks for it, and is the same as anywhere else.
// What it is given here is what Python gives it there: the packed weights, and a tokenizer, whose
// tokens are the characters of the text. Whatever belongs to the course's own model is left empty.

import * as kit from "../kit/kit.js";
import * as arrival from "../engine/arrival.js";
const { h } = kit;

const ROOM = 128; // tokens; the same as GlassModel's
const READ = 18; // characters of the text, which it reads first: as many as have room for a name each
const START = {
  ...{ other: "", output: [], off: [], hidden: [], positions: true, patched: [] },
  ...{ temperature: 1, seed: 0, place: null, checkpoint: null, selected: "" },
};

/** What a view asks of its model where there is no Python. */
function makeModel(state) {
  const news = new EventTarget();
  return {
    get: (name) => state[name],
    set(name, value) {
      if (Object.is(state[name], value)) return;
      state[name] = value;
      news.dispatchEvent(new Event(`change:${name}`));
    },
    on: (event, listener) => news.addEventListener(event, listener),
    off: (event, listener) => news.removeEventListener(event, listener),
    save_changes() {},
  };
}

/** GlassModel's data, as widget.py makes it, of a model whose ids are these characters. */
function dataOf({ config, names, unknown, step }, chapters) {
  const tokenizer = {
    ...{ byteLevel: false, pattern: "[^]+", prefixSpace: false, start: null },
    ...{ alphabet: [names.join(""), names.map((_, id) => id)], unknown, pairs: [], made: [], counts: [] },
  };
  return {
    name: `your model, ${kit.many(step, "step")}`,
    config: { n_segments: 0, ...config },
    ...{ room: ROOM, begin: [0], special: {}, tokenizer, chapters, strongest: null },
    ...{ trained: step, checkpoints: [], checkpoint: null, ids: [], options: {}, summary: null },
  };
}

/**
 * Where the glass model appears: { el, open, stop }. open(found, sentence) shows the model that run.js
 * packed, below a sentence about it. A reader who opens a later model finds the prompt and the view as
 * they were left. code is a trait that Python made, and onBack() is called when the reader is done.
 */
export function inside({ code, onBack }) {
  let files = null; // { engine, view, sheet }, once they are here
  let state = null; // of the last glass model
  let end = () => {};

  const says = h("p", { class: "pf-note" });
  const back = kit.button({ label: "Back to training", onPress: close });
  const place = h("div");
  const sheet = h("style");
  const card = h(
    "div",
    { class: "pf-card tl-inside", role: "group", "aria-label": "Inside your model", tabindex: "-1" },
    sheet,
    h("div", { class: "pf-row" }, says, back.el),
    place,
  );
  const el = h("div"); // the card is in it while it is open

  async function fetched() {
    const found = JSON.parse(await arrival.code(code));
    const address = URL.createObjectURL(new Blob([found.view], { type: "text/javascript" }));
    const { default: view } = await import(address);
    URL.revokeObjectURL(address);
    sheet.textContent = found.sheet;
    return { ...found, view };
  }

  async function open(found, sentence) {
    files ??= await fetched();
    end();
    const data = dataOf(found, code.chapters);
    const weights = { data: found.bytes, size: found.bytes.length, code: files.engine, step: null };
    const isKnown = state?.data.tokenizer.alphabet[0] === data.tokenizer.alphabet[0];
    const kept = isKnown ? state : { ...START, prompt: Array.from(found.text).slice(0, READ).join("") };
    state = { ...kept, data, weights };
    says.textContent = sentence;
    el.replaceChildren(card);
    end = files.view.render({ model: makeModel(state), el: place });
    if (document.fullscreenElement) await document.exitFullscreen(); // the lab alone: it would be hidden
    card.focus({ preventScroll: true });
    card.scrollIntoView();
  }

  function close() {
    stop();
    card.remove();
    onBack();
  }

  function stop() {
    end();
    end = () => {};
    place.replaceChildren();
  }
  return { el, open, stop };
}
