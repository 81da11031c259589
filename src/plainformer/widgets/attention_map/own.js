// A sentence of the reader's own for AttentionMap: a button that fetches the model, and a box.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as readers from "../engine/reader.js";
const { h } = kit;

const LIMIT = 200; // characters; the same as MAX_TEXT in Python

/** What a widget shows of a text: data as Python has it, and all weights, (L, H, T, T). */
function textOf({ ids, steps }, { layers, d_head }, word) {
  const maps = Array.from({ length: layers }, (_, l) => steps.get(`layers.${l}.attention.weights`));
  const [H, T] = maps[0].shape;
  const weights = new Float64Array(layers * H * T * T);
  maps.forEach(({ data }, l) => weights.set(data, l * H * T * T));
  const tokens = ids.map(word);
  const shape = [layers, H, T, T];
  return { data: { tokens, keys: tokens, names: null, shape, d_head, causal: true, max_error: 0 }, weights };
}

/**
 * The button and the box: { button, box, set(text), stop }. onType(text) is told what is typed;
 * show(text) is given what is to be drawn in place of the page's own sentence, which is show(null).
 */
export function ownSentence({ weights, given, first, onType, show }) {
  const live = kit.liveRegion();
  const reader = readers.makeReader({ weights, given, say: live.say });
  let awake = false; // whether the reader has asked for the model
  let read = ""; // the text that is shown or being read

  const button = kit.button({
    label: `Your own sentence (loads ${(weights.size / 1e6).toFixed(1)} MB)`,
    onPress() {
      awake = true;
      if (input.value === "") onType(first);
      set(input.value || first);
      input.focus();
    },
  });
  const { el: label, input } = boxes.textBox({ label: "Your own sentence", rows: 1, limit: LIMIT, onInput: onType });
  const back = kit.button({
    label: "The page’s sentence again",
    onPress() {
      button.el.hidden = false;
      button.el.focus();
      onType("");
    },
  });
  const box = h("div", { class: "am-own", hidden: true }, label, h("div", { class: "pf-row" }, back.el, live.el));

  /** Show a text in the box, and read it if the model was asked for; "" closes the box. */
  function set(text) {
    if (input.value !== text) input.value = text;
    box.hidden = text === "" && document.activeElement !== input;
    button.el.hidden = awake && !box.hidden;
    if (text === read || (!awake && text !== "")) return;
    read = text;
    if (text === "") {
      reader.forget();
      return show(null);
    }
    reader.read(text, (found) => {
      show(textOf(found, given, reader.word));
      live.say(`${kit.many(found.ids.length, "token")}, read by the model in this page.`);
    });
  }
  function stop() {
    live.stop();
    reader.stop();
  }
  return { button: button.el, box, set, stop };
}
