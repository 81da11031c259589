// q, k and v as small tables of boxes to type in.
//
// What is no number stays in its box to be mended, and the number that was there still counts. Why
// it is none stands below the tables until it is mended. Each matrix is one stop of the Tab key;
// arrow keys move inside it.

import * as kit from "../kit/kit.js";
import * as math from "./sums.js";
const { h } = kit;

const LARGEST = 100; // the largest number of a matrix; the same as in Python
const MOST = 24; // characters of a box: as many as the longest number has

// 1,000 is a thousand to some readers and one to others; 0,125 and 1,5 are clear.
const TWO_READINGS = /^[+\-−]?[1-9]\d{0,2},\d{3}$/;

/** What a typed text means: a number, or null. A comma is a decimal point, too, where it is clear. */
export function read(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  const good = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain);
  return good && !TWO_READINGS.test(text.trim()) ? Number(plain) + 0 : null;
}

const fits = (value) => typeof value === "number" && Math.abs(value) <= LARGEST;

/** A check for a link: a matrix of the same shape, of numbers that fit. */
export const like = (matrix) => (rows) =>
  rows.length === matrix.length &&
  rows.every((row, i) => row.length === matrix[i].length && row.every(fits)) &&
  rows;

/** Why a text will not do, in half a sentence. */
function complaint(text) {
  const plain = text.trim();
  if (!plain) return "The box is empty";
  if (read(plain) !== null) return `Numbers from −${LARGEST} to ${LARGEST} fit here`;
  if (TWO_READINGS.test(plain)) {
    const readings = `${plain.replace(",", "")} or ${plain.replace(",", ".")}`;
    return `“${plain}” may mean ${readings}, so write it without the comma`;
  }
  const shown = plain.length > MOST ? `${plain.slice(0, MOST)}…` : plain;
  return `“${shown}” is no number`;
}

/**
 * The tables: { el, set(matrices), settle(), mark({ q, k, v }) }. names are { q, k, v }, the rows'
 * names. onChange(name, rows) gets a matrix with a new number, onRefuse(sentence) says why a text is
 * none, and onSettle() that a box is good again. settle() makes all of them good. mark gets the place
 * of a row of q and of k, and of a column of v, that are framed, or null.
 */
export function editor({ matrices, names, onChange, onRefuse, onSettle }) {
  const cells = {}; // name -> rows of { input, value, why: the note on what is wrong, or null }
  const notes = h("div", {});
  let held = matrices;

  function cell(name, i, d) {
    const title = `${name} of “${names[name][i]}”, column ${d}`;
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      maxlength: MOST,
      autocomplete: "off",
      spellcheck: "false",
      class: `as-box as-box-${name}`,
      "aria-label": title,
      tabindex: i || d ? "-1" : "0",
      "data-lm-suppress-shortcuts": true,
    });
    const made = { input, value: null, why: null };
    input.addEventListener("input", () => {
      const value = read(input.value);
      const good = fits(value);
      if (good) {
        accept(made);
        made.value = value;
        const rows = held[name].map((row) => [...row]);
        rows[i][d] = value;
        held = { ...held, [name]: rows }; // the next box may change before this is drawn
        onChange(name, rows);
        return;
      }
      refuse(made, `${complaint(input.value)}: ${title} stays ${math.show(made.value)}.`);
    });
    input.addEventListener("focus", () => {
      for (const each of cells[name].flat()) each.input.tabIndex = each === made ? 0 : -1;
      if (!made.why) input.value = String(made.value);
      input.select();
    });
    input.addEventListener("blur", () => {
      if (!made.why) input.value = math.show(made.value);
    });
    input.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const { selectionStart: from, selectionEnd: to, value } = input;
      const whole = from === 0 && to === value.length;
      const [up, left] = {
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
        Enter: [1, 0],
        ArrowLeft: [0, whole || to === 0 ? -1 : 0],
        ArrowRight: [0, whole || from === value.length ? 1 : 0],
      }[event.key] ?? [0, 0]; // prettier-ignore
      if (event.key === "Escape") put(made, made.value, true);
      const next = cells[name][i + up]?.[d + left];
      if (!(up || left) || !next) return;
      event.preventDefault();
      next.input.focus();
    });
    return made;
  }

  function refuse(made, sentence) {
    if (!made.why) {
      made.why = h("p", { class: "pf-note as-why", id: kit.uid() });
      notes.append(made.why);
      made.input.setAttribute("aria-invalid", "true");
      made.input.setAttribute("aria-describedby", made.why.id);
    }
    made.why.textContent = sentence;
    onRefuse(sentence);
  }
  function accept(made) {
    if (!made.why) return;
    made.why.remove();
    made.why = null;
    made.input.removeAttribute("aria-invalid");
    made.input.removeAttribute("aria-describedby");
    onSettle();
  }

  function put(made, value, anyway = false) {
    if (made.value === value && !anyway) return;
    made.value = value;
    accept(made);
    made.input.value = made.input === document.activeElement ? String(value) : math.show(value);
  }

  for (const name of ["q", "k", "v"]) {
    cells[name] = matrices[name].map((row, i) => row.map((_, d) => cell(name, i, d)));
  }
  // Where keys and queries are the same tokens, one set of names serves all three. In the page a
  // matrix follows the other, as the Tab key goes; the style sheet sets them side by side.
  const shared = String(names.q) === String(names.k);
  const tables = (shared ? [["q", "k", "v"]] : [["q"], ["k", "v"]]).map((group) => {
    const placed = (part, row, column, span = 1) => {
      part.style.gridArea = `${row} / ${column} / auto / span ${span}`;
      return part;
    };
    const widths = group.map((name) => matrices[name][0].length);
    const parts = names[group[0]].map((name, i) =>
      placed(h("span", { class: "as-name" }, name), i + 2, 1),
    );
    let column = 2;
    group.forEach((name, g) => {
      const letter = h("b", { class: `as-letter as-letter-${name}` }, name);
      parts.push(placed(letter, 1, column, widths[g]));
      for (const [i, row] of cells[name].entries()) {
        for (const [d, { input }] of row.entries()) parts.push(placed(input, i + 2, column + d));
      }
      column += widths[g] + 1; // an empty one between two matrices
    });
    const tracks = widths.map((width) => `repeat(${width}, var(--as-box))`).join(" var(--as-gap) ");
    const style = `grid-template-columns: var(--as-name) ${tracks}`;
    return h("div", { class: "as-matrices", style }, parts);
  });
  const label = "Numbers of q, k and v";
  const el = h("div", { class: "as-edit", role: "group", "aria-label": label }, tables, notes);

  let letters = 0; // of the longest number: so wide are the boxes
  function makeRoom() {
    const numbers = ["q", "k", "v"].flatMap((name) => held[name].flat());
    const longest = Math.max(...numbers.map((each) => math.show(each).length));
    if (longest !== letters) el.style.setProperty("--as-letters", (letters = longest));
  }

  function set(next) {
    held = next;
    if (!el.contains(document.activeElement)) makeRoom(); // not under the hands of who types
    for (const name of ["q", "k", "v"]) {
      next[name].forEach((row, i) => row.forEach((value, d) => put(cells[name][i][d], value)));
    }
  }
  function settle() {
    const wrong = ["q", "k", "v"].flatMap((name) => cells[name].flat()).filter(({ why }) => why);
    for (const made of wrong) put(made, made.value, true);
  }
  function mark(places) {
    for (const name of ["q", "k", "v"]) {
      cells[name].forEach((row, i) =>
        row.forEach(({ input }, d) => {
          const place = name === "v" ? d : i;
          input.classList.toggle("as-source", places[name] === place);
        }),
      );
    }
  }
  return { el, set, settle, mark };
}
