// Where the unit or the head that is open is strongest, in stories that the model wrote itself.
//
// The places come in a file of their own, when a reader first asks for them; Jupyter has them in data.

import * as kit from "../kit/kit.js";
import * as arrival from "../engine/arrival.js";
const { h } = kit;

const LONG = 9; // tokens before a place

/** { el, draw(at, step) }: at is what is open, step the checkpoint that reads, null at the end. */
export function strongest({ given, decode, figure, redraw }) {
  let found = null;
  const ask = kit.button({ label: "", onPress: fetch });
  const says = h("p", { class: "pf-note" });
  const lists = h("div");
  const el = h("div", { "aria-live": "polite" }, ask.el, says, lists);

  async function fetch() {
    try {
      found = JSON.parse(given.text ?? (await arrival.code({ code: given.script })));
    } catch (error) {
      says.textContent = error.message;
    }
    redraw();
  }

  /** A piece of a text: the marked place, and underlined what a head looks at from there. */
  function line([n, t, ...rest]) {
    const text = (from, to) => decode(found.texts[n].slice(Math.max(1, from), to));
    const value = rest.pop();
    const [at = t - LONG] = rest;
    const looked = rest.length ? [text(at - 3, at), h("u", {}, text(at, at + 1))] : [];
    const gap = t - at > LONG ? [" … ", text(t - 3, t)] : [text(at + 1, t)];
    return h("li", {}, " … ", looked, gap, h("mark", {}, text(t, t + 1)), text(t + 1, t + 4), " … ", h("b", {}, figure(value)));
  }

  function draw(at, step) {
    const isUnit = at.general === "layers.feed_forward.activations";
    el.hidden = !given || step !== null || !(isUnit || at.level === "head");
    if (el.hidden) return;
    ask.el.hidden = !!found;
    ask.set({ label: `Where is this ${isUnit ? "unit" : "head"} strongest?` });
    if (!found) return;
    const how = isUnit ? "" : ", looking at underlined ones";
    says.textContent = `In ${found.texts.length} stories that the model wrote, it is strongest at marked tokens${how}.`;
    const of = isUnit ? found.units[at.layer][at.index[1]] : found.heads[at.layer][at.head];
    // A unit that is far below 0 says something else than one far above.
    const signs = [1, -1].map((sign) => of.filter((each) => Math.sign(each.at(-1)) === sign));
    const both = signs.every((each) => each.length);
    lists.replaceChildren(
      ...signs.flatMap((each, i) => [
        both ? h("p", { class: "pf-note" }, `Its strongest ${i ? "negative" : "positive"} numbers:`) : "",
        h("ol", {}, each.map(line)),
      ]),
    );
  }
  return { el, draw };
}
