// A LogitLens of a text that the reader types: the box for it. The model is fetched when somebody
// first types.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as written from "../kit/token_words.js";
import * as readers from "../engine/reader.js";
import * as cells from "./cells.js";
const { h } = kit;

const LIMIT = 400; // characters
const COLUMNS = 16; // the last tokens; the same as MOST_COLUMNS in Python

/**
 * The box: { el, stop }. given is what Python says of the model, see pack_reader. show(data) draws
 * another lens; show(null) the first one again. wait(whether) is told whether the lens that is drawn
 * is about to be replaced.
 */
export function ownText({ weights, given, show, wait }) {
  const live = kit.liveRegion();
  const reader = readers.makeReader({ weights, given, say: live.say });
  const words = reader.words();
  let typed = 0; // texts: only the last one ends the waiting

  const box = boxes.textBox({ label: "A text of your own", rows: 1, limit: LIMIT, onInput: type });
  live.say(`Type, and the model reads your text. It comes only then, ${(weights.size / 1e6).toFixed(1)} MB.`);

  async function type(text) {
    const mine = (typed += 1);
    wait(true);
    if (text === "") await goBack();
    else await reader.read(text, answer);
    if (mine === typed) wait(false);
  }

  async function goBack() {
    reader.forget();
    live.say("The text of the page again.");
    show(null);
  }

  async function answer({ engine, ids, steps, isNewest }) {
    const layers = Array.from({ length: given.layers + 1 }, (_, l) => engine.lens(steps, l - 1));
    const depths = await Promise.all(layers);
    if (!isNewest() || depths.includes(null)) return;
    const data = cells.ofLogits({ ids, depths, words, most: COLUMNS });
    show(data);
    live.say(sentence(data, ids.length));
  }

  function sentence({ tokens, words: all, top, shares }, count) {
    const [best, share] = [top.at(-1).at(-1)[0], shares.at(-1).at(-1)[0]];
    const less = count > tokens.length ? `, of which the last ${tokens.length} are shown` : "";
    const next = `“${written.label(all[best])}”, probability ${written.share(share)}`;
    return `${kit.many(count, "token")}${less}. The most likely token at the top is ${next}.`;
  }

  function stop() {
    live.stop();
    reader.stop();
  }
  return { el: h("div", { class: "pf-card ll-own" }, box.el, live.el), stop };
}
