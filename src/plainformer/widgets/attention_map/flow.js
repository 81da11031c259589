// The flow of AttentionMap: from the chosen query on the left, bands to the keys on the right.
//
// All bands together are as thick at the query as a weight of 1, so one sees the row summing to 1.
// Beyond some keys, those with the most weight have a line each, and all others share the last.

import * as kit from "../kit/kit.js";
import * as written from "../kit/token_words.js";
import * as sums from "./weights.js";
const { h } = kit;

/** So many tokens have a line each. */
export const MOST = 16;
const TOP = 11; // beyond: so many keys, and a line for the rest
const THICK = 0.94; // of a weight of 1, in lines
const OTHERS = -1;

/** The flow: { el, draw(now) }. */
export function flow({ tokens, keys, onPoint, onKeep, onKey }) {
  const S = keys.length;
  const lines = S <= MOST ? S : TOP + 1;
  const all = tokens.length <= MOST;
  const high = Math.max(lines, all ? tokens.length : 1);
  const leftAt = (i) => (all ? (high - tokens.length) / 2 + i : (high - 1) / 2); // from the top
  const rightAt = (i) => (high - lines) / 2 + i;
  const place = (top) => `top:${(top / high) * 100}%;height:${100 / high}%`;

  const chip = () => [h("small"), h("bdi")];
  const write = ([small, text], number, token) => {
    if (small.textContent !== number) small.textContent = number;
    if (text.textContent !== token) text.textContent = token;
  };
  const left = (all ? tokens : [""]).map((token, i) => {
    const parts = chip();
    if (all) write(parts, String(i), written.label(token));
    const el = h("span", { class: "am-from", style: place(leftAt(i)) }, h("span", {}, parts));
    return { parts, el };
  });
  const right = Array.from({ length: lines }, (_, i) => {
    const parts = chip();
    const number = h("span", { class: "am-weight" });
    const name = h("span", {}, parts);
    const el = h("span", { class: "am-to", style: place(rightAt(i)) }, number, name);
    return { parts, number, el, key: null };
  });
  const bands = right.map(() => h("path", { class: "am-band" }));
  const source = h("path", { class: "am-source" });
  const none = h("p", { class: "am-none" });
  const froms = h("div", { class: "am-froms" }, left.map(({ el }) => el));
  const tos = h("div", { class: "am-tos" }, right.map(({ el }) => el));
  const el = h(
    "div",
    { class: "am-flow", "aria-hidden": "true", style: `--am-lines:${high}` },
    froms,
    h(
      "div",
      { class: "am-bands" },
      h("svg", { viewBox: `0 0 100 ${high}`, preserveAspectRatio: "none" }, bands, source),
      none,
    ),
    tos,
  );

  if (all) {
    const at = (event) => left.findIndex((each) => each.el.contains(event.target));
    froms.addEventListener("pointermove", (event) => {
      if (!event.buttons && at(event) >= 0) onPoint(at(event));
    });
    froms.addEventListener("pointerleave", () => onPoint(null));
    froms.addEventListener("click", (event) => at(event) >= 0 && onKeep(at(event)));
  }
  tos.addEventListener("click", (event) => {
    const found = right.find((each) => each.el.contains(event.target));
    if (found && found.key !== OTHERS) onKey(found.key);
  });

  /** The keys of each line: one key, those with the most weight in their order; then all others. */
  function chosen({ query, key, shown }) {
    const indices = keys.map((_, j) => j);
    if (S <= MOST) return indices.map((j) => [j]);
    const of = (j) => (j === key ? 2 : shown[query * S + j]); // the chosen key always has a line
    indices.sort((a, b) => of(b) - of(a) || a - b);
    const own = indices.slice(0, TOP).sort((a, b) => a - b);
    return [...own.map((j) => [j]), indices.slice(TOP)];
  }

  function draw(now) {
    const { query, key, shown } = now;
    const middle = leftAt(all ? query : 0) + 0.5;
    let top = middle - THICK / 2;
    if (!all) write(left[0].parts, String(query), written.label(tokens[query]));
    left.forEach(({ el: each }, i) => each.classList.toggle("am-marked", !all || i === query));
    let any = false;
    chosen(now).forEach((list, i) => {
      const line = right[i];
      const hidden = !list.some((j) => sums.sees(query, j, now));
      const weight = list.reduce((total, j) => total + shown[query * S + j], 0);
      any ||= weight > 0;
      line.key = list.length > 1 ? OTHERS : list[0];
      if (list.length > 1) write(line.parts, "", `${list.length} others`);
      else write(line.parts, String(line.key), written.label(keys[line.key]));
      const said = hidden ? "masked" : written.share(weight);
      if (line.number.textContent !== said) line.number.textContent = said;
      line.el.classList.toggle("am-masked", hidden);
      line.el.classList.toggle("am-marked", line.key === key);
      const thick = weight * THICK;
      const to = rightAt(i) + 0.5;
      bands[i].setAttribute("d", weight > 0 ? band(top, to - thick / 2, thick) : "");
      bands[i].classList.toggle("am-marked", line.key === key);
      top += thick;
    });
    const half = THICK / 2;
    source.setAttribute("d", any ? `M0 ${middle - half}H2.5V${middle + half}H0Z` : "");
    none.textContent = any ? "" : "nothing left to look at";
  }

  return { el, draw };
}

/** A band from the left, its upper edge at `from`, to the right, at `to`. */
function band(from, to, thick) {
  return (
    `M2.5 ${from}C50 ${from} 50 ${to} 100 ${to}` +
    `V${to + thick}C50 ${to + thick} 50 ${from + thick} 2.5 ${from + thick}Z`
  );
}
