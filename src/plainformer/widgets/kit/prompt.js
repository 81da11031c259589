// The line above a widget: one thing to do, and one thing to notice.

import * as kit from "./kit.js";
const { h } = kit;

/** The line: what to do, in a sentence, then what to look out for, in another. */
export const prompt = (act, notice) => h("p", { class: "pf-prompt" }, h("b", {}, act), " ", notice);
