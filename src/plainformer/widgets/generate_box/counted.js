// An n-gram model that the page fetches as soon as a reader asks for what came not with the page.
//
// What it says after the first text came with the page: all sliders work on that. The text that it
// counts is a script, small enough to be fetched without asking.

import * as arrival from "../engine/arrival.js";
import * as checksum from "../engine/sha256.js";

/** `inPage` makes a source of a model that is here. */
export function counted({ script, ids: first, logits, ...sizes }, inPage) {
  const start = { key: first.join(" "), logits: Float64Array.from(logits) };
  let source = null; // once the model is here
  let opening = null; // the promise of it, once it was asked for

  async function fetched() {
    const packed = await arrival.code({ code: script });
    const digest = checksum.sha256(new TextEncoder().encode(packed));
    if (!script.endsWith(`-${digest.slice(0, 8)}`)) throw new Error("The model did not arrive whole. Try again.");
    source = inPage({ ...sizes, packed });
  }

  function known(ids) {
    if (source) return source.known(ids);
    return ids.join(" ") === start.key ? start.logits : null;
  }

  async function ask(ids) {
    if (known(ids)) return known(ids);
    opening ??= fetched();
    opening.catch(() => (opening = null)); // the next question tries again
    await opening;
    return source.known(ids);
  }
  return { known, ask, idle: () => false, waiting: () => "Fetching the model", stop() {} };
}
