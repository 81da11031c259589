// A choice of one among a few, all of which can be seen.

import * as kit from "./kit.js";
const { h } = kit;

/** The choice: { el, set(value) }; options are [value, label] pairs. */
export function choice({ label, options, value, onChoose }) {
  const name = kit.uid();
  const inputs = options.map(([key]) =>
    h("input", { type: "radio", name, value: key, checked: key === value, ...kit.OWN_KEYS }),
  );
  const el = h(
    "fieldset",
    { class: "pf-choice" },
    h("legend", { class: "pf-sr-only" }, label),
    options.map(([, text], i) => h("label", {}, inputs[i], text)),
  );
  el.addEventListener("change", (event) => onChoose(event.target.value));
  const set = (key) => inputs.forEach((input) => (input.checked = input.value === key));
  return { el, set };
}
