// The text that course-lm writes beside the bars of a TemperatureLab, at the temperature of its dial.
//
// The model is fetched when a reader first presses the button. When the dial turns, the text is
// written again with the same random numbers.

import * as kit from "../kit/kit.js";
import * as heat from "../formulas/temperature.js";
import * as sampling from "../formulas/sampling.js";
import * as philox from "../formulas/philox.js";
import * as fetching from "../engine/next_logits.js";
const { h } = kit;

const LENGTH = 60; // tokens
const REST = 150; // milliseconds that the dial must rest

/**
 * The text: { el, button, turn, stop }. given: { ids, words, eos } of the first text; at(logits, t)
 * heats logits; get(name) is a trait's value; say(sentence) tells the reader.
 */
export function story({ given: { ids: first, words, eos }, weights, at, get, say }) {
  const source = fetching.fetched({ weights }, news);
  let run = 0; // the one that writes; older ones stop
  let tries = 0; // texts that were asked for: each has random numbers of its own
  let [added, failure] = [[], ""];
  let timer = 0;
  const spelled = (ids) => ids.map((id) => (id === eos ? "" : words[id])).join("");
  const text = h("span", {});
  const title = h("p", { class: "tl-title" });
  const box = h("p", { class: "tl-text" }, h("b", {}, spelled(first).trimStart()), text);
  const named = { role: "group", "aria-label": "What course-lm writes" };
  const el = h("div", { class: "tl-story", hidden: true, ...named }, title, box);
  const button = kit.button({ label: "Let course-lm write", onPress: begin });
  button.el.classList.add("tl-write");

  function news() {
    title.textContent = failure || (added.length ? "course-lm, a small language model" : source.waiting());
    text.textContent = spelled(added);
  }

  function begin() {
    el.hidden = false;
    tries += 1;
    write();
  }

  async function write() {
    const mine = (run += 1);
    [added, failure] = [[], ""];
    el.setAttribute("aria-busy", "true");
    try {
      while (added.length < LENGTH) {
        const wanted = source.ask([...first, ...added]);
        if (!added.length) news();
        const shares = heat.softmax(at(Array.from(await wanted), get("temperature")));
        if (mine !== run) return;
        const id = sampling.draw(shares, philox.randomAt(tries, added.length));
        if (id === eos) break;
        added.push(id);
        news();
      }
      const degree = get("temperature") ?? "∞";
      say(`course-lm has written ${kit.many(added.length, "token")} at temperature ${degree}.`);
    } catch (error) {
      if (mine !== run) return;
      say((failure = error.message));
      news();
    }
    el.removeAttribute("aria-busy");
    button.set({ label: failure ? "Try again" : "Write another text" });
  }

  /** The dial was turned. */
  function turn() {
    if (el.hidden) return;
    run += 1;
    clearTimeout(timer);
    timer = setTimeout(write, REST);
  }

  function stop() {
    run += 1;
    clearTimeout(timer);
    source.stop();
  }
  return { el, button: button.el, turn, stop };
}
