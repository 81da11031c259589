// A LogitLens of a text that the reader types: the box for it, and the engine, which is fetched when
// somebody first types.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as written from "../kit/token_words.js";
import * as bpe from "../formulas/bpe.js";
import * as client from "../engine/client.js";
import * as cells from "./cells.js";
const { h } = kit;

const LIMIT = 400; // characters
const COLUMNS = 16; // the last tokens; the same as MOST_COLUMNS in Python

/**
 * The box: { el, stop }. given is what Python says of the model: { tokenizer, special, room, size,
 * layers }. show(data) draws another lens; show(null) the first one again. wait(whether) is told
 * whether the lens that is drawn is about to be replaced.
 */
export function ownText({ weights, given, show, wait }) {
  const { room, size, layers } = given;
  const tokenizer = bpe.makeTokenizer(given.tokenizer);
  const nameOf = (id) => given.special[id] ?? tokenizer.nameOf(id);
  const reading = (name) => bpe.reading(name, tokenizer.byteLevel, "characters").text;
  const words = Array.from({ length: size }, (_, id) => {
    const name = nameOf(id);
    return name === undefined ? `#${id}` : reading(name).replaceAll("·", " ");
  });
  let opening = null; // the promise of the engine
  let asked = 0; // texts: only the last one is drawn

  const box = boxes.textBox({ label: "A text of your own", rows: 1, limit: LIMIT, onInput: type });
  const live = kit.liveRegion();
  live.say(`Type, and the model reads your text. It comes only then, ${(weights.size / 1e6).toFixed(1)} MB.`);

  function open() {
    const onProgress = (got, all) => live.say(`Fetching the model: ${Math.round((100 * got) / all)}%.`);
    opening ??= client.connect({ weights, onProgress });
    opening.catch(() => (opening = null)); // the next letter tries again
    return opening;
  }

  async function type(text) {
    const mine = (asked += 1);
    wait(true);
    await read(text, mine);
    if (mine === asked) wait(false);
  }

  async function read(text, mine) {
    const lost = tokenizer.missing(text);
    if (lost !== undefined) return live.say(`This tokenizer has no token for “${lost}”.`);
    const ids = tokenizer.encode(text).slice(-room);
    if (text === "") {
      live.say("The text of the page again.");
      return show(null);
    }
    try {
      const engine = await open();
      const steps = mine === asked ? await engine.run(ids) : null;
      if (!steps) return; // a newer text came before its turn
      const depths = await Promise.all(Array.from({ length: layers + 1 }, (_, l) => engine.lens(steps, l - 1)));
      if (mine !== asked || depths.includes(null)) return;
      const data = cells.ofLogits({ ids, depths, words, most: COLUMNS });
      show(data);
      live.say(sentence(data, ids.length));
    } catch (error) {
      if (mine === asked) live.say(`${error.message}`);
    }
  }

  function sentence({ tokens, words: all, top, shares }, count) {
    const [best, share] = [top.at(-1).at(-1)[0], shares.at(-1).at(-1)[0]];
    const less = count > tokens.length ? `, of which the last ${tokens.length} are shown` : "";
    const next = `“${written.label(all[best])}”, probability ${written.share(share)}`;
    return `${kit.many(count, "token")}${less}. The most likely token at the top is ${next}.`;
  }

  async function stop() {
    asked += 1;
    live.stop();
    (await opening?.catch(() => null))?.stop();
  }
  return { el: h("div", { class: "pf-card ll-own" }, box.el, live.el), stop };
}
