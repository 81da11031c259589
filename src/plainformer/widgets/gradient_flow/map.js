// The map of GradientFlow: every matrix as a grid, laid out so that what is multiplied stands
// together. In a grid a reader chooses a number by pointer or by key.
//
// For a screen reader each grid is a slider in two directions: it has a name, and its value is a
// sentence. Arrow keys move by one number, Home and End to the ends of a row.

import * as kit from "../kit/kit.js";
import * as flow from "./flow.js";
import * as words from "./words.js";
const { h } = kit;

const MOVES = {
  ArrowUp: (i, j) => [i - 1, j],
  ArrowDown: (i, j) => [i + 1, j],
  ArrowLeft: (i, j) => [i, j - 1],
  ArrowRight: (i, j) => [i, j + 1],
  Home: (i) => [i, 0],
  End: (i) => [i, Infinity],
};

/** One matrix: { name, el, grid, cells, mark }, cells as rows on the page. */
function block(name, shape, { onPoint, onKeep }) {
  const turned = flow.upright(name);
  const [rows, columns] = turned ? [...shape].reverse() : shape;
  const cellOf = (i, j) => ({ matrix: name, row: turned ? j : i, column: turned ? i : j });
  const cells = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (__, j) => h("span", { class: "gf-cell", "data-at": `${i} ${j}` })),
  );
  const live = name !== "loss"; // nothing comes after it: there is nothing to see move
  const grid = h(
    "div",
    {
      class: "gf-grid",
      style: `--gf-columns: ${columns}`,
      ...(live && {
        tabindex: "0",
        role: "slider",
        "aria-label": `${words.TITLES[name] ?? name}, ${rows} by ${columns}`,
        "aria-roledescription": "slider in two directions",
        "aria-valuemin": "0",
        "aria-valuemax": rows * columns - 1,
        "data-lm-suppress-shortcuts": true, // JupyterLab's own arrow keys stay away
      }),
    },
    cells.flat(),
  );
  let here = [0, 0];
  function mark(i, j, text) {
    here = [i, j];
    grid.setAttribute("aria-valuenow", i * columns + j);
    grid.setAttribute("aria-valuetext", text);
  }
  const place = (event) => event.target.dataset?.at?.split(" ").map(Number) ?? null;
  grid.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (event.pointerType === "mouse") onPoint(at && cellOf(...at));
  });
  grid.addEventListener("pointerleave", () => onPoint(null));
  if (live) {
    grid.addEventListener("click", (event) => place(event) && onKeep(cellOf(...place(event))));
    grid.addEventListener("keydown", (event) => {
      const move = MOVES[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      const [i, j] = move(...here);
      here = [kit.clamp(i, 0, rows - 1), kit.clamp(j, 0, columns - 1)]; // before the next frame
      onPoint(null); // a mouse that rests here has nothing more to say
      onKeep(cellOf(...here));
    });
  }
  const title = h("p", { class: "gf-title" }, words.TITLES[name] ?? name);
  const el = h("div", { class: `gf-block gf-${name}` }, title, grid);
  return { name, el, grid, cells, cellOf, mark: live ? mark : () => {}, here: () => here };
}

/**
 * The map: { el, set, mark }. set(shown, signed) fills it; signed numbers have the colour of their
 * sign, stronger where they are larger. mark(chosen, say) frames a number; say(cell) is what a
 * screen reader says of one. onPoint(cell or null) is told where a mouse rests, onKeep(cell) what
 * was chosen, a cell being { matrix, row, column }.
 */
export function map({ numbers, data, onPoint, onKeep }) {
  const { tokens, query, wanted } = data;
  const shape = (name) => [numbers[name].length, numbers[name][0].length];
  const all = Object.fromEntries(
    flow.NAMES.map((name) => [name, block(name, shape(name), { onPoint, onKeep })]),
  );
  const names = (kind) =>
    h(
      "div",
      { class: `gf-names ${kind}`, "aria-hidden": "true" },
      h("p", { class: "gf-title" }, "\u00a0"),
      tokens.map((token, t) => h("span", { class: t === query ? "gf-name gf-asks" : "gf-name" }, token)),
    );
  const band = (...parts) => h("div", { class: "gf-band" }, parts);
  const els = (...which) => which.map((name) => all[name].el);
  const goal = h("p", { class: "gf-wanted" }, "wanted: ", wanted.map((each) => words.number(each)).join(", "));
  const el = h(
    "div",
    { class: "gf-map" },
    band(names("gf-n1"), ...els("x", "w_q")),
    band(...els("w_k", "w_v", "q")),
    band(names("gf-n2"), ...els("k", "scores", "weights", "v")),
    band(h("div", { class: "gf-end" }, all.output.el, goal, all.loss.el)),
  );
  let framed = null;

  function set(shown, signed) {
    const sizes = Object.values(shown).flat(2).map(Math.abs);
    const limit = Math.max(...sizes) || 1;
    for (const { name, cells, cellOf } of Object.values(all)) {
      cells.forEach((line, i) =>
        line.forEach((cell, j) => {
          const { row, column } = cellOf(i, j);
          const value = shown[name][row][column];
          const text = words.number(value, signed);
          const moved = signed && text !== "0";
          const share = moved ? Math.round(15 + 45 * Math.sqrt(Math.abs(value) / limit)) : 0;
          const key = `${text} ${share} ${signed}`;
          cell.dataset.value = value;
          if (cell.dataset.key === key) return;
          cell.dataset.key = key;
          cell.textContent = text;
          cell.classList.toggle("gf-up", moved && value > 0);
          cell.classList.toggle("gf-down", moved && value < 0);
          cell.classList.toggle("gf-still", signed && !moved);
          cell.style.setProperty("--gf-share", `${share}%`);
        }),
      );
    }
  }

  function mark(chosen, say) {
    framed?.classList.remove("gf-chosen");
    for (const { name, cells, cellOf, mark: told, here } of Object.values(all)) {
      const mine = name === chosen.matrix;
      const turned = flow.upright(name);
      const at = turned ? [chosen.column, chosen.row] : [chosen.row, chosen.column];
      const [i, j] = mine ? at : here();
      if (mine) (framed = cells[i][j]).classList.add("gf-chosen");
      told(i, j, say(cellOf(i, j)));
    }
  }
  return { el, set, mark };
}
