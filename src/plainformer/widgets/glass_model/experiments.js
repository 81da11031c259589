// The experiments: what of the model is off, hidden, or taken from another text; and their controls.

import * as kit from "../kit/kit.js";
import * as folds from "../kit/fold.js";
import * as comparing from "./compare.js";
import * as places from "./selection.js";
import * as words from "./words.js";
const { h } = kit;

const both = (each) => each.split(".").map((part) => Number(part));
const inOrder = (a, b) => both(a)[0] - both(b)[0] || (both(a)[1] ?? -1) - (both(b)[1] ?? -1);

/** A list with one more, or without the one that it has, in order. */
function toggled(list, each, order) {
  const found = list.includes(each) ? list.filter((other) => other !== each) : [...list, each];
  return found.sort(order);
}

/**
 * The controls and what they have set: { el, says, of, set }.
 *
 * of(ids, other) are the options of source.ask for these tokens; other are those of the second text.
 * set(place, token) shows where the reader stands, and says() what was chosen since.
 */
export function experiments({ config, get, act, redraw }) {
  const { n_layers: L, n_heads: H } = config;
  const parts = Array.from({ length: L }, (_, l) => [String(l), ...Array.from({ length: H }, (__, k) => `${l}.${k}`)]).flat();
  const id = kit.uid();
  const choice = h("select", { id, class: "gm-which", ...kit.OWN_KEYS }, parts.map((each) => h("option", { value: each }, words.partName(each))));
  choice.value = String(L - 1);
  let opened = null; // the layer or head that the choice has followed
  let chosen = false; // by hand, and not yet switched
  let here = 0;
  choice.addEventListener("change", () => {
    chosen = true;
    redraw();
  });
  const off = kit.button({
    label: "Switch off",
    onPress() {
      chosen = false;
      act({ off: toggled(get("off"), choice.value, inOrder) });
    },
  });
  const hide = kit.button({
    label: "Hide",
    onPress: () => act({ hidden: toggled(get("hidden"), here, (a, b) => a - b), place: null }),
  });
  const where = h("input", { type: "checkbox", ...kit.OWN_KEYS });
  where.addEventListener("change", () => act({ positions: where.checked }));
  const label = h("label", { class: "pf-label", for: id }, "Part of the model");
  const el = folds.fold(
    "Experiments",
    h("div", { class: "pf-row" }, h("div", {}, label, choice), off.el, hide.el, h("label", { class: "gm-check" }, where, "Positions on")),
  );

  function of(ids, other) {
    const [layer, token] = get("patched");
    const at = token < ids.length ? comparing.partner(token, ids.length, other.length) : null;
    return {
      off: get("off"),
      hidden: get("hidden").filter((t) => t < ids.length),
      positions: get("positions"),
      ...(at === null ? {} : { patch: { layer, token, other, at } }),
    };
  }

  function set(place, token) {
    here = place;
    const at = places.read(get("selected"), config, Infinity) ?? {};
    const [layer, head] = [at.layer ?? null, at.head ?? null];
    const open = layer === null ? null : head === null ? String(layer) : `${layer}.${head}`;
    if (open !== opened) {
      opened = open;
      chosen = false;
      if (open !== null) choice.value = open;
    }
    off.set({ label: `Switch ${words.partName(choice.value)} ${get("off").includes(choice.value) ? "on" : "off"}` });
    hide.set({ label: `${get("hidden").includes(place) ? "Show" : "Hide"} “${token}” (${place + 1})` });
    where.checked = get("positions");
  }
  const says = () => (chosen ? ` Chosen for an experiment: ${words.partName(choice.value)}.` : "");
  return { el, says, of, set };
}
