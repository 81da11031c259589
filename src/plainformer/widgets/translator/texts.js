// The texts that a search weighs at a step: which go on, which have ended, and which are given up.

import * as kit from "../kit/kit.js";
import * as written from "../kit/token_words.js";
const { h } = kit;

const STATES = { kept: "goes on", finished: "ended", pruned: "given up" };
const IN_THE_END = { ...STATES, kept: "left over" }; // none that goes on could win
const GIVEN_UP = 2; // of those that are given up, the best

/** The rows to be shown: all that go on or have ended, and the best of the others. */
export function shown(candidates) {
  const lost = candidates.filter(({ status }) => status === "pruned").slice(0, GIVEN_UP);
  return candidates.filter((node) => node.status !== "pruned" || lost.includes(node));
}

export function stateOf(node, best, over) {
  const state = (over ? IN_THE_END : STATES)[node.status];
  return node === best ? `★ ${state}` : state;
}

/**
 * The list: { el, draw({ title, rows, best, chosen, over, textOf }) }; best is the node that leads, and
 * chosen the one whose alignment is shown. onChoose(node) is told of another that a reader takes.
 */
export function texts({ onChoose }) {
  const title = h("p", { class: "tl-title", id: kit.uid() });
  const list = h("ol", { class: "tl-texts" });
  const el = h("div", { class: "tl-side", role: "group", "aria-labelledby": title.id }, title, list);
  const group = kit.uid();

  function line() {
    const bar = h("i", {});
    const radio = h("input", { type: "radio", name: group, ...kit.OWN_KEYS });
    const text = h("span");
    const parts = {
      radio,
      text,
      state: h("span", { class: "tl-state" }),
      bar,
      number: h("span", { class: "tl-number" }),
    };
    const track = h("span", { class: "tl-bar", "aria-hidden": "true" }, bar);
    const name = h("span", { class: "tl-text" }, radio, text);
    parts.el = h("li", {}, h("label", {}, name, parts.state, track, parts.number));
    radio.addEventListener("change", () => onChoose(parts.node));
    return parts;
  }
  const lines = [];

  function draw({ title: heading, rows, best, chosen, over, textOf }) {
    title.textContent = heading;
    const alone = rows.filter(({ status }) => status !== "pruned").length < 2;
    while (lines.length < rows.length) {
      lines.push(line());
      list.append(lines.at(-1).el);
    }
    lines.forEach((parts, i) => {
      const node = rows[i];
      parts.el.hidden = !node;
      parts.node = node;
      if (!node) return;
      parts.radio.hidden = parts.radio.disabled = alone || node.status === "pruned";
      parts.radio.checked = node === chosen;
      const share = Math.exp(node.score);
      parts.el.className = `tl-${node.status}${node === best ? " tl-best" : ""}`;
      parts.text.textContent = textOf(node);
      parts.state.textContent = stateOf(node, best, over);
      parts.bar.style.width = `${100 * share}%`;
      parts.number.textContent = written.share(share);
      parts.number.dataset.value = share;
    });
  }
  return { el, draw };
}
