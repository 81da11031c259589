// What could stand at one place of the text: the most probable tokens, each with two bars.

import * as kit from "../kit/kit.js";
const { h } = kit;

/** A probability for people: 0.31, 0.004, or that it is all but 0, or all but 1. */
export function probability(p) {
  if (p === 0) return "0";
  if (p < 0.0005) return "< 0.001";
  if (p < 1 && p > 0.995) return "> 0.99";
  return kit.format(p, p < 0.0995 ? 3 : 2);
}

/** The bars: { el, draw({ title, rows, mark, note }) }; a row is { id, name, before, after, cut }. */
export function bars() {
  const title = h("p", { class: "gen-title" });
  const list = h("div", { class: "gen-bars", "aria-hidden": "true" }); // "Show as table" has it all
  const note = h("p", { class: "pf-note gen-note" });
  const el = h("div", { class: "gen-panel" }, title, list, note);
  const lines = [];

  function line() {
    const before = h("i", { class: "gen-before" });
    const after = h("i", { class: "gen-after" });
    const parts = {
      name: h("span", { class: "gen-name" }),
      bar: h("span", { class: "gen-bar" }, before, after),
      number: h("span", { class: "gen-number" }),
      before,
      after,
    };
    list.append(parts.name, parts.bar, parts.number);
    return parts;
  }

  /** mark is the id of the row to mark: the token that stands there, or that is drawn. */
  function draw({ title: heading, rows, mark, note: foot }) {
    title.textContent = heading;
    note.textContent = foot;
    while (lines.length < rows.length) lines.push(line());
    lines.forEach((parts, i) => {
      const row = rows[i];
      for (const part of [parts.name, parts.bar, parts.number]) part.hidden = !row;
      if (!row) return;
      parts.name.textContent = `${row.id === mark ? "▸ " : ""}${row.name}`;
      parts.name.classList.toggle("gen-mark", row.id === mark);
      parts.bar.classList.toggle("gen-cut", row.cut);
      parts.before.hidden = row.before < 0.004; // thinner than its own lines
      parts.before.style.width = `${100 * row.before}%`;
      parts.after.style.width = `${100 * row.after}%`;
      parts.number.textContent = row.cut ? "cut" : probability(row.after);
      parts.number.dataset.value = row.after;
    });
  }
  return { el, draw };
}
