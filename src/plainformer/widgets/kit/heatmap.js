// A table of numbers as a grid of colours, in which a reader chooses a cell by pointer or by key.
//
// The canvas has one pixel a cell; the style sheet stretches it with hard edges, so it is sharp on
// any screen and is painted anew only when the numbers change. The chosen row and column are two
// frames laid over it.
//
// For a screen reader the grid is a slider in two directions (as a colour field is): it has a name,
// and its value is a sentence. (A table of some thousand cells to walk through would be no help;
// whoever wants the numbers has "Show as table", and a widget adds a plain slider for each
// direction.) Arrow keys move by one cell, Page Up and Page Down by ten rows, Home and End to the
// ends of a row. A mouse shows the cell it points at and keeps the one it presses. A finger chooses
// by tapping or by moving sideways; up and down still scrolls the page.

import * as kit from "./kit.js";
import * as scales from "./scales.js";
const { h } = kit;

const PAGE = 10; // rows
const ROOM = [12, 8]; // rows and columns in which a number fits a cell, on a phone too

const MOVES = {
  ArrowUp: (row, col) => [row - 1, col],
  ArrowDown: (row, col) => [row + 1, col],
  ArrowLeft: (row, col) => [row, col - 1],
  ArrowRight: (row, col) => [row, col + 1],
  PageUp: (row, col) => [row - PAGE, col],
  PageDown: (row, col) => [row + PAGE, col],
  Home: (row) => [row, 0],
  End: (row) => [row, Infinity],
};

const between = (number, count) => Math.max(0, Math.min(count - 1, number));

/**
 * A heat map: { el, paint, mark }.
 *
 * onPoint([row, col] or null) is told where a mouse rests, onKeep([row, col]) what was chosen,
 * onEnter() that Enter or Space was pressed. paint(rows, cols, rgb, text) paints the cells with the
 * colour rgb(row, col), or leaves a cell open where that is null, and in at most `room` rows and
 * columns writes text(row, col) on them. mark({ row, col, columns, text }) frames a row and a
 * column, underlines other columns, and sets the sentence that a screen reader says.
 */
export function heatmap({ label, onPoint, onKeep, onEnter, room = ROOM }) {
  const canvas = h("canvas", { class: "hm-cells", "aria-hidden": "true" });
  const rowFrame = h("div", { class: "hm-frame" });
  const colFrame = h("div", { class: "hm-frame" });
  const others = h("div");
  const numbers = h("div", { class: "hm-numbers", "aria-hidden": "true" });
  const el = h(
    "div",
    {
      class: "hm-map",
      tabindex: "0",
      role: "slider",
      "aria-label": label,
      "aria-roledescription": "slider in two directions",
      "aria-valuemin": "0",
      "data-lm-suppress-shortcuts": true, // JupyterLab's own arrow keys stay away
    },
    canvas,
    numbers,
    others,
    rowFrame,
    colFrame,
  );
  let rows = 1;
  let cols = 1;
  let here = [0, 0];
  let underlined = "";
  let written = ""; // of how many rows and columns the numbers are

  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    const col = Math.floor(((event.clientX - box.left) / box.width) * cols);
    return [between(row, rows), between(col, cols)];
  }

  // A finger that starts upwards is about to scroll: it chooses once it has gone sideways.
  let finger = null; // where it came down; null: none, or one that has gone sideways

  el.addEventListener("pointerdown", (event) => {
    finger = null;
    if (event.pointerType === "touch") {
      finger = event;
    } else if (event.button === 0) {
      el.setPointerCapture(event.pointerId);
      onKeep(cellAt(event));
    }
  });
  el.addEventListener("pointermove", (event) => {
    if (finger) {
      const aside = Math.abs(event.clientX - finger.clientX);
      if (aside <= 4 || aside <= Math.abs(event.clientY - finger.clientY)) return;
      finger = null;
      el.setPointerCapture(event.pointerId);
    }
    // With a button down: choose if it went down here, not if somebody selects the text around.
    if (!event.buttons) onPoint(cellAt(event));
    else if (el.hasPointerCapture(event.pointerId)) onKeep(cellAt(event));
  });
  el.addEventListener("pointerup", (event) => {
    if (event.pointerType === "touch") onKeep(cellAt(event));
  });
  // Pressed where the text around is selected, the browser would drag that text away instead.
  el.addEventListener("dragstart", (event) => event.preventDefault());
  el.addEventListener("pointercancel", () => (finger = null)); // it scrolls
  el.addEventListener("pointerleave", () => onPoint(null));
  el.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (MOVES[key]) {
      const [row, col] = MOVES[key](...here);
      here = [between(row, rows), between(col, cols)]; // the next key may come before mark() does
      onKeep(here);
    } else if (onEnter && (key === "Enter" || key === " ")) {
      onEnter();
    } else {
      return;
    }
    event.preventDefault();
  });

  function paint(height, width, rgb, text) {
    [rows, cols] = [height, width];
    fill(canvas, rows, cols, rgb);
    if (text && rows <= room[0] && cols <= room[1]) write(rgb, text);
    else numbers.replaceChildren();
    el.setAttribute("aria-valuemax", rows * cols - 1);
  }

  /** The numbers on the cells; those that stand are changed, not made anew. */
  function write(rgb, text) {
    if (written !== `${rows} ${cols}` || !numbers.firstChild) {
      written = `${rows} ${cols}`;
      numbers.replaceChildren(...Array.from({ length: rows * cols }, (_, i) => {
        const label = h("span");
        label.style.left = `${(((i % cols) + 0.5) / cols) * 100}%`;
        label.style.top = `${((Math.floor(i / cols) + 0.5) / rows) * 100}%`;
        return label;
      }));
    }
    [...numbers.children].forEach((label, i) => {
      const [row, col] = [Math.floor(i / cols), i % cols];
      const said = text(row, col);
      if (label.textContent !== said) label.textContent = said;
      const colour = rgb(row, col);
      label.style.color = colour ? scales.inkOn(colour) : "";
    });
  }

  function mark({ row, col, columns = [], text }) {
    here = [row, col];
    rowFrame.style.cssText = `left:0;width:100%;top:${(row / rows) * 100}%;height:${100 / rows}%`;
    colFrame.style.cssText = `top:0;height:100%;left:${(col / cols) * 100}%;width:${100 / cols}%`;
    const key = `${columns} ${cols}`;
    if (key !== underlined) {
      underlined = key;
      others.replaceChildren(
        ...columns.map((each) => {
          const line = h("div", { class: "hm-under" });
          line.style.cssText = `left:${(each / cols) * 100}%;width:${100 / cols}%`;
          return line;
        }),
      );
    }
    el.setAttribute("aria-valuenow", row * cols + col);
    el.setAttribute("aria-valuetext", text);
  }

  return { el, paint, mark };
}

/** A canvas with a pixel for each cell of a grid, which the style sheet stretches; rgb may be null. */
export function fill(canvas, rows, cols, rgb) {
  if (canvas.height !== rows) canvas.height = rows;
  if (canvas.width !== cols) canvas.width = cols;
  const context = canvas.getContext("2d");
  const image = context.createImageData(cols, rows);
  const { data } = image;
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let col = 0; col < cols; col += 1, at += 4) {
      const colour = rgb(row, col);
      if (!colour) continue;
      data[at] = colour[0];
      data[at + 1] = colour[1];
      data[at + 2] = colour[2];
      data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
}

/** A strip of the colours from low to high; rgb(share) is the colour of a share of the way. */
export function legend({ low, high, rgb }) {
  const stops = Array.from({ length: 11 }, (_, i) => scales.css(rgb(i / 10)));
  const strip = h("div", { class: "hm-strip" });
  strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const end = (number) => h("span", {}, String(number).replace("-", "−"));
  return h("div", { class: "hm-legend" }, end(low), strip, end(high));
}
