// The alignment: a map with a row for each word that was written, a column for each that was read.
//
// Rows that are not written yet stay open: the hatching behind the map shows through.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as heatmap from "../kit/heatmap.js";
const { h } = kit;

const ROOM = [12, 12]; // rows and columns in which a number fits a cell

/** Words along a side: { el, draw(words, marked) }; a word is { text, known }. */
function side(name, along) {
  const el = h("div", { class: name, "aria-hidden": "true" });
  function draw(words, marked) {
    while (el.children.length > words.length) el.lastChild.remove();
    while (el.children.length < words.length) el.append(h("span", {}, h("bdi")));
    words.forEach(({ text, known }, i) => {
      const span = el.children[i];
      if (span.firstChild.textContent !== text) span.firstChild.textContent = text;
      const place = `${((i + 0.5) / words.length) * 100}%`;
      if (span.style[along] !== place) span.style[along] = place;
      span.classList.toggle("tl-here", i === marked);
      span.classList.toggle("tl-unknown", !known);
    });
  }
  return { el, draw };
}

/**
 * The map: { el, draw }. onPoint and onKeep are those of a heat map.
 *
 * draw({ written, read, height, weight, row, column, dark, text }): words that were written and read,
 * how many rows there are room for, weight(t, s), the chosen cell and what is said of it.
 */
export function alignment({ onPoint, onKeep }) {
  const map = heatmap.heatmap({
    label: "Where each word looked: a row for each word written, a column for each word read",
    onPoint,
    onKeep,
    room: ROOM,
  });
  const [rows, columns] = [side("tl-rows", "top"), side("tl-columns", "left")];
  const field = h("div", { class: "tl-field" }, map.el);
  const el = h(
    "div",
    { class: "tl-map" },
    h("div", { class: "tl-corner", "aria-hidden": "true" }, h("span", {}, "read →"), h("span", {}, "written ↓")),
    columns.el,
    rows.el,
    field,
  );
  let painted = ""; // what is painted: it is painted again only when that is another

  function draw({ written, read, height, weight, row, column, dark, text, key }) {
    const S = read.length;
    const open = (t) => t >= written.length;
    const now = JSON.stringify([key, height, written.length, dark]);
    if (now !== painted) {
      painted = now;
      el.style.setProperty("--tl-count", Math.max(height, 4));
      map.paint(
        height,
        S,
        (t, s) => (open(t) ? null : scales.weight(weight(t, s), dark)),
        (t, s) => (open(t) ? "" : kit.format(weight(t, s), 2)),
      );
    }
    map.mark({ row, col: column, text });
    const blank = Array.from({ length: height - written.length }, () => ({ text: "", known: true }));
    rows.draw([...written, ...blank], row);
    columns.draw(read, column);
  }
  return { el, draw };
}
