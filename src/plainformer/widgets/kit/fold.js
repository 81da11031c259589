// What a widget has besides: folded, so that the rest of it fits a screen.

import * as kit from "./kit.js";
const { h } = kit;

/** A fold under a name; it stands in a row beside buttons, and takes a line of its own when open. */
export const fold = (name, ...children) =>
  h("details", { class: "pf-besides" }, h("summary", {}, name), ...children);
