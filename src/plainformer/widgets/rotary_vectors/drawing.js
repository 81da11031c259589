// What RotaryVectors draws: dials with a query and a key as arrows, and the score as a curve.
//
// A query's arrow has a barbed head, a key's an outline and a head like a kite: colour is not what
// tells them apart. Arrows are drawn once, pointing right, and turned by a transform.

import * as kit from "../kit/kit.js";
import * as rotary from "../formulas/rope.js";
const { h } = kit;

const degrees = (angle) => (-angle * 180) / Math.PI; // on a screen, y points down
const round = (number) => number.toFixed(2);
const tenths = (number) => Math.round(10 * number) / 10; // faster than toFixed, for many points
const at = (radius, angle) =>
  `${round(radius * Math.cos(angle))} ${round(-radius * Math.sin(angle))}`;

/** The outline of an arrow of some length and thickness, with the head of its kind. */
function arrow(kind, length, thick) {
  const w = thick / 2;
  const head = Math.min(length * 0.6, thick * (kind === "q" ? 3.4 : 4.6));
  const wide = head * (kind === "q" ? 0.52 : 0.34);
  const neck = length - head;
  const widest = neck + head * (kind === "q" ? -0.22 : 0.5);
  return `M0 ${-w}H${neck}L${widest} ${-wide}L${length} 0L${widest} ${wide}L${neck} ${w}H0Z`;
}

/** An arc about the centre from one angle on by another, which is less than a whole turn. */
function arc(radius, from, by) {
  const large = Math.abs(by) > Math.PI ? 1 : 0;
  const onward = by > 0 ? 0 : 1;
  return `M${at(radius, from)}A${radius} ${radius} 0 ${large} ${onward} ${at(radius, from + by)}`;
}

const TURN = 2 * Math.PI;

/** Set an attribute unless it is so already: what does not move is not painted again. */
function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * One pair of dimensions as a dial: { el, vectors([q, k]), rotate(angleQ, angleK) }, with q and k as
 * [x, y], at most a radius long. A large dial has letters, and shows where each arrow came from.
 * With onDrag(kind, [x, y]), a pointer can take a turned arrow by its tip.
 */
export function dial({ radius, thick, large, onDrag }) {
  const line = (kind) => h("path", { class: `rv-${kind}` });
  const circle = (kind, r = 0) => h("circle", { class: `rv-${kind}`, r });
  const parts = { wedge: line("wedge") };
  for (const kind of ["q", "k"]) {
    parts[`circle-${kind}`] = circle(`track rv-${kind}`);
    parts[`trail-${kind}`] = line(`trail rv-${kind}`);
    parts[`ghost-${kind}`] = line(`ghost rv-${kind}`);
  }
  for (const kind of ["k", "q"]) {
    parts[`arrow-${kind}`] = line(`arrow rv-${kind}`);
    if (large) parts[`name-${kind}`] = h("text", { class: `rv-name rv-${kind}` }, kind);
  }
  if (onDrag) {
    for (const kind of ["k", "q"]) parts[`handle-${kind}`] = circle("handle", 24);
  }
  const edge = radius + (large ? 22 : 3);
  const el = h(
    "svg",
    {
      viewBox: `${-edge} ${-edge} ${2 * edge} ${2 * edge}`,
      "aria-hidden": "true",
      class: "rv-dial",
    },
    h("path", { class: "rv-axes", d: `M${-edge} 0H${edge}M0 ${-edge}V${edge}` }),
    Object.values(parts),
    circle("hub", thick * 0.55),
  );
  const arrows = { q: { length: 0, angle: 0 }, k: { length: 0, angle: 0 } };

  /** Where a pointer is, in the dial's own measure, y pointing up. */
  function place({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(el.getScreenCTM().inverse());
    return [x, -y];
  }
  for (const kind of onDrag ? ["q", "k"] : []) {
    const handle = parts[`handle-${kind}`];
    let from = [0, 0]; // from the pointer to the tip
    handle.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const [x, y] = place(event);
      const { tip } = arrows[kind];
      from = [tip[0] - x, tip[1] - y];
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const [x, y] = place(event);
      onDrag(kind, [x + from[0], y + from[1]]);
    });
  }

  function vectors([q, k]) {
    for (const [kind, [x, y]] of Object.entries({ q, k })) {
      const length = Math.hypot(x, y);
      const angle = Math.atan2(y, x);
      arrows[kind] = { length, angle };
      const outline = arrow(kind, length, thick);
      parts[`arrow-${kind}`].setAttribute("d", outline);
      parts[`circle-${kind}`].setAttribute("r", length);
      parts[`ghost-${kind}`].setAttribute("d", outline);
      parts[`ghost-${kind}`].setAttribute("transform", `rotate(${round(degrees(angle))})`);
    }
  }

  function rotate(angleQ, angleK) {
    const q = arrows.q.angle + angleQ;
    const k = arrows.k.angle + angleK;
    const between = rotary.wrap(q - k);
    const near = large ? radius * 0.36 : radius * 0.45;
    put(parts.wedge, "d", `${arc(near, k, between)}L0 0Z`);
    for (const [kind, now, by, side] of [
      ["q", q, angleQ, Math.sign(between) || 1],
      ["k", k, angleK, -Math.sign(between) || -1],
    ]) {
      const { length, angle } = arrows[kind];
      put(parts[`arrow-${kind}`], "transform", `rotate(${round(degrees(now))})`);
      if (!large) continue;
      arrows[kind].tip = [length * Math.cos(now), length * Math.sin(now)];
      if (onDrag) {
        put(parts[`handle-${kind}`], "cx", round(arrows[kind].tip[0]));
        put(parts[`handle-${kind}`], "cy", round(-arrows[kind].tip[1]));
      }
      // Beside the tip, on the side away from the other arrow.
      const far = length + 11;
      const [x, y] = at(far, now + (side * 9) / Math.max(far, 20)).split(" ");
      put(parts[`name-${kind}`], "x", x);
      put(parts[`name-${kind}`], "y", y);
      put(parts[`trail-${kind}`], "d", length ? arc(length, angle, by % TURN) : "");
      parts[`circle-${kind}`].classList.toggle("rv-round", by >= TURN);
    }
  }
  return { el, vectors, rotate };
}

const [WIDTH, HEIGHT] = [380, 212];
const EDGE = { left: 34, right: 8, top: 24, bottom: 34 };

/** Round numbers, about four of them, from no more than low to no less than high. */
export function ticks(low, high) {
  const rough = (high - low) / 4.5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 2.5, 5, 10].find((each) => each * unit >= rough);
  const [from, to] = [Math.floor(low / step - 1e-9), Math.ceil(high / step + 1e-9)];
  const level = (_, i) => Number(((from + i) * step).toPrecision(6));
  return Array.from({ length: to - from + 1 }, level);
}

/**
 * The score against the distance, each pair's part of it, and a mark at the distance now:
 * { el, curves(rows, sums, distances), mark(distance, score, pair) }. A row that is the same array
 * as last time is not drawn again.
 */
export function chart({ last }) {
  const below = HEIGHT - EDGE.bottom;
  const across = (WIDTH - EDGE.left - EDGE.right) / (2 * last);
  const x = (distance) => EDGE.left + (distance + last) * across;
  let levels = [0, 1];
  const y = (value) =>
    below - ((value - levels[0]) / (levels.at(-1) - levels[0])) * (below - EDGE.top);

  const grid = h("g", { class: "rv-grid" });
  const parts = h("g", {});
  let drawn = []; // the rows that are on the screen
  const total = h("polyline", { class: "rv-total" });
  const needle = h("line", { class: "rv-needle", y1: EDGE.top - 6, y2: below });
  const dot = h("circle", { class: "rv-dot", r: 6 });
  const value = h("text", { class: "rv-value", y: EDGE.top - 10 });
  // What moves is a drawing of its own, above the curves: so these are not painted again.
  const sheet = (kind, ...children) =>
    h(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: `rv-chart ${kind}` },
      children,
    );
  const el = h(
    "div",
    { class: "rv-sheets" },
    sheet("", grid, parts, total),
    sheet("rv-marks", needle, dot, value),
  );

  const minus = (text) => String(text).replace("-", "−");
  const label = (text, left, top, anchor) =>
    h("text", { x: left, y: top, "text-anchor": anchor, class: "rv-tick" }, minus(text));

  function drawGrid() {
    const line = (x1, x2, y1, y2, value) =>
      h("line", { x1, x2, y1, y2, class: value === 0 && "rv-zero" });
    const rows = levels.map((each) => [
      line(EDGE.left, WIDTH - EDGE.right, y(each), y(each), each),
      label(each, EDGE.left - 5, y(each) + 4, "end"),
    ]);
    const columns = [-last, -last / 2, 0, last / 2, last].map((each) => [
      line(x(each), x(each), EDGE.top, below, each),
      label(each, x(each), below + 14, each === last ? "end" : "middle"),
    ]);
    const name = label("distance m − n", x(0), HEIGHT - 5, "middle");
    grid.replaceChildren(...rows.flat(), ...columns.flat(), name);
  }

  function curves(rows, sums, distances) {
    const before = String(levels);
    const ends = [...rows, sums].map((row) => [Math.min(...row), Math.max(...row)]).flat();
    levels = ticks(Math.min(0, ...ends), Math.max(0, ...ends) || 1);
    const fresh = drawn.length !== rows.length || String(levels) !== before;
    const points = (row) =>
      row.map((each, j) => `${tenths(x(distances[j]))},${tenths(y(each))}`).join(" ");
    if (drawn.length !== rows.length) parts.replaceChildren(...rows.map(() => h("polyline")));
    rows.forEach((row, i) => {
      if (fresh || row !== drawn[i]) parts.children[i].setAttribute("points", points(row));
    });
    total.setAttribute("points", points(sums));
    drawn = rows;
    if (fresh) drawGrid();
  }

  function mark(distance, score, pair) {
    const left = x(distance);
    const middle = Math.max(EDGE.left + 34, Math.min(left, WIDTH - EDGE.right - 40));
    put(needle, "x1", String(left));
    put(needle, "x2", String(left));
    put(dot, "cx", String(left));
    put(dot, "cy", round(y(score)));
    put(value, "x", String(middle));
    const text = minus(`score ${kit.format(score, 2)}`);
    if (value.textContent !== text) value.textContent = text;
    [...parts.children].forEach((line, i) => line.classList.toggle("rv-chosen", i === pair));
  }
  return { el, curves, mark };
}
