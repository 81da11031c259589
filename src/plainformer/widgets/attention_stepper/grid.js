// One matrix as a grid of coloured cells, in which a reader chooses a cell by pointer or by key.
//
// For a screen reader the grid is a slider in two directions: it has a name, and its value is a
// sentence. Arrow keys move by one cell, Home and End to the ends of a row.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as math from "./sums.js";
const { h } = kit;

const MOVES = {
  ArrowUp: (i, j) => [i - 1, j],
  ArrowDown: (i, j) => [i + 1, j],
  ArrowLeft: (i, j) => [i, j - 1],
  ArrowRight: (i, j) => [i, j + 1],
  Home: (i) => [i, 0],
  End: (i) => [i, Infinity],
};

/** Write a number into a cell, on the colour that it has. */
function paint(cell, value, { kind, limit, dark }, forbidden) {
  const key = `${value} ${kind} ${limit} ${dark} ${forbidden}`;
  if (cell.dataset.key === key) return;
  cell.dataset.key = key;
  cell.dataset.value = value;
  cell.textContent = math.inCell(value, kind === "weights");
  cell.classList.toggle("as-forbidden", forbidden);
  const isWeight = kind === "weights";
  const colour = isWeight ? scales.weight(value, dark) : scales.signed(value, limit, dark);
  cell.style.background = forbidden ? "" : scales.css(colour);
  cell.style.color = forbidden ? "" : scales.inkOn(colour);
}

/**
 * A grid: { el, set, mark }. set({ rows, names, columns, kind, limit, dark, forbidden }) fills it: the
 * kind is "weights" or "signed" (from -limit to limit), and forbidden(i, j) says which cells are
 * hatched. mark({ i, j, label, text, sources }) frames a cell, and those that are its sources.
 * onPoint([i, j] or null) is told where a mouse rests, onKeep([i, j]) what was chosen; without
 * them the grid is a picture.
 */
export function grid({ className = "", onPoint, onKeep }) {
  const live = Boolean(onKeep);
  const el = h("div", {
    class: `as-grid ${className}`,
    "aria-hidden": live ? null : "true",
    ...(live && {
      tabindex: "0",
      role: "slider",
      "aria-roledescription": "slider in two directions",
      "aria-valuemin": "0",
      "data-lm-suppress-shortcuts": true, // JupyterLab's own arrow keys stay away
    }),
  });
  let shape = "";
  let cells = []; // rows of spans
  let heads = { rows: [], columns: [] };
  let at = [0, 0];

  function build(names, columns) {
    const head = (kind, text) => h("span", { class: `as-head as-head-${kind}` }, text);
    heads = {
      rows: names.map((name) => head("row", name)),
      columns: columns.map((name) => head("column", name)),
    };
    cells = names.map((_, i) =>
      columns.map((__, j) => h("span", { class: "as-cell", "data-at": `${i} ${j}` })),
    );
    el.style.gridTemplateColumns = `var(--as-name) repeat(${columns.length}, minmax(var(--as-least, 0), var(--as-cell)))`;
    el.replaceChildren(
      h("span", {}),
      ...heads.columns,
      ...cells.flatMap((row, i) => [heads.rows[i], ...row]),
    );
  }

  function set({ rows, names, columns, forbidden, ...colours }) {
    const wanted = JSON.stringify([names, columns]);
    if (wanted !== shape) {
      shape = wanted;
      build(names, columns);
    }
    cells.forEach((row, i) =>
      row.forEach((cell, j) => paint(cell, rows[i][j], colours, forbidden(i, j))),
    );
  }

  function mark({ i, j, label, text, sources }) {
    at = [i, j];
    cells.forEach((row, r) =>
      row.forEach((cell, c) => {
        cell.classList.toggle("as-chosen", live && r === i && c === j);
        cell.classList.toggle("as-source", Boolean(sources?.(r, c)));
      }),
    );
    heads.rows.forEach((head, r) => head.classList.toggle("as-on", r === i));
    heads.columns.forEach((head, c) => head.classList.toggle("as-on", c === j));
    if (!live) return;
    el.setAttribute("aria-label", label);
    el.setAttribute("aria-valuemax", cells.length * cells[0].length - 1);
    el.setAttribute("aria-valuenow", i * cells[0].length + j);
    el.setAttribute("aria-valuetext", text);
  }

  if (live) {
    const place = (event) => event.target.dataset?.at?.split(" ").map(Number) ?? null;
    el.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") onPoint(place(event));
    });
    el.addEventListener("pointerleave", () => onPoint(null));
    el.addEventListener("click", (event) => place(event) && onKeep(place(event)));
    el.addEventListener("keydown", (event) => {
      const move = MOVES[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      const [i, j] = move(...at);
      onPoint(null); // a mouse that rests on the grid has nothing more to say
      const within = (number, count) => Math.max(0, Math.min(count - 1, number));
      // The next key may come before a frame.
      at = [within(i, cells.length), within(j, cells[0].length)];
      onKeep(at);
    });
  }
  return { el, set, mark };
}
