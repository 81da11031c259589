// A box for the text that a reader types.

import * as kit from "./kit.js";
const { h } = kit;

/** A labelled box for text: { el, input }. */
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
  return { el: h("div", {}, h("label", { class: "pf-label", for: id }, label), input), input };
}
