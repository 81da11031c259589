// A box for the text that a reader types.

import * as kit from "./kit.js";
const { h } = kit;

const MOST_ROWS = 4;

/**
 * A labelled box for text: { el, input, show }. show(text) puts a text in, grows with it, and returns
 * whether it is another text.
 */
export function textBox({ label, rows = 2, limit, onInput }) {
  const id = kit.uid();
  const input = h("textarea", {
    id,
    rows,
    class: "pf-text",
    maxlength: limit,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    dir: "auto",
    ...kit.OWN_KEYS,
  });
  input.addEventListener("input", () => onInput(input.value));
  function show(text) {
    if (input.value === text) return false;
    input.value = text;
    for (input.rows = rows; input.rows < MOST_ROWS && input.scrollHeight > input.clientHeight; ) input.rows += 1;
    return true;
  }
  return { el: h("div", {}, h("label", { class: "pf-label", for: id }, label), input), input, show };
}
