// What LookupDial draws: the dial, with keys round it and a query that can be turned, and the answer
// for every direction.
//
// The query's arrow has a barbed head; keys are thin lines that end in a disc as large as their
// weight. Colour is not what tells them apart.

import * as kit from "../kit/kit.js";
const { h } = kit;

const RADIUS = 100; // where the longest key ends
const EDGE = 132; // half the height of the dial's drawing
const LONGEST = 12; // letters of a name that fit beside the dial
const [WIDTH, HEIGHT] = [480, 132]; // of the chart
const ROOM = { left: 40, right: 12, top: 14, bottom: 28 };

const degrees = (radians) => (radians * 180) / Math.PI;
const round = (number) => String(Math.round(number * 10) / 10);

/** Set an attribute unless it is so already: what does not move is not painted again. */
function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** The outline of an arrow to the right, so many units long. */
function arrow(length) {
  const neck = length - 20;
  return `M0 -3.5H${neck}L${neck - 4} -11L${length} 0L${neck - 4} 11L${neck} 3.5H0Z`;
}

/**
 * The dial: { el, keys(vectors), point(angle, length, weights) }. The length is a share, 0 to 1.
 * onTurn(angle) is told in whole degrees where a pointer wants the query to point.
 */
export function dial({ labels, onTurn }) {
  const shown = labels.map((label) =>
    [...label].length > LONGEST ? `${[...label].slice(0, LONGEST - 1).join("")}…` : label,
  );
  const side = RADIUS + 28 + 8 * Math.max(4, ...shown.map((label) => label.length));
  const places = shown.map((label) => ({
    line: h("line", { class: "dial-key" }),
    disc: h("circle", { class: "dial-disc" }),
    dot: h("circle", { class: "dial-dot", r: 3.5 }),
    name: h("text", { class: "dial-label" }, label),
  }));
  const query = h("path", { class: "dial-query" });
  const handle = h("circle", { class: "dial-handle", r: 24 });
  const all = (part) => places.map((each) => each[part]);
  const el = h(
    "svg",
    {
      class: "dial-face",
      viewBox: `${-side} ${-EDGE} ${2 * side} ${2 * EDGE}`,
      "aria-hidden": "true",
    },
    h("circle", { class: "dial-rim", r: RADIUS }),
    all("line"),
    all("disc"),
    all("dot"),
    all("name"),
    query,
    h("circle", { class: "dial-hub", r: 5 }),
    handle,
  );

  function turnTo({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(el.getScreenCTM().inverse());
    if (Math.hypot(x, y) > 6) onTurn(Math.round(degrees(Math.atan2(-y, x))));
  }
  // A mouse may take the query anywhere on the face; a finger by its tip, or it taps: elsewhere it
  // scrolls the page.
  el.addEventListener("pointerdown", (event) => {
    if (event.button || (event.pointerType === "touch" && event.target !== handle)) return;
    el.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (event.target !== handle) turnTo(event);
  });
  el.addEventListener("pointermove", (event) => {
    if (el.hasPointerCapture(event.pointerId)) turnTo(event);
  });
  el.addEventListener("click", (event) => event.pointerType === "touch" && turnTo(event));

  function keys(vectors) {
    const longest = Math.max(...vectors.map(([x, y]) => Math.hypot(x, y)));
    vectors.forEach(([x, y], i) => {
      const { line, disc, dot, name } = places[i];
      const [a, b] = [x, -y].map((part) => (part / longest) * RADIUS);
      for (const circle of [disc, dot]) {
        circle.setAttribute("cx", round(a));
        circle.setAttribute("cy", round(b));
      }
      line.setAttribute("x2", round(a));
      line.setAttribute("y2", round(b));
      const way = Math.atan2(b, a);
      const [left, top] = [Math.cos(way), Math.sin(way)].map((part) => part * (RADIUS + 22));
      name.setAttribute("x", round(left));
      name.setAttribute("y", round(top + 5));
      const anchor = Math.abs(left) < 25 ? "middle" : left > 0 ? "start" : "end";
      name.setAttribute("text-anchor", anchor);
    });
  }

  function point(angle, length, weights) {
    const long = 45 + 37 * length;
    put(query, "d", arrow(long));
    put(query, "transform", `rotate(${-angle})`);
    put(handle, "transform", `rotate(${-angle}) translate(${round(long - 8)} 0)`);
    weights.forEach((weight, i) => {
      put(places[i].disc, "r", round(20 * Math.sqrt(weight)));
      places[i].name.classList.toggle("dial-strong", weight > 0.2);
    });
  }
  return { el, keys, point };
}

/** A short piece of a curve, and its name. */
function legend(name, c) {
  const line = h("polyline", { class: `dial-line dial-line-${c}`, points: "0,6 40,6" });
  return h("span", {}, h("svg", { viewBox: "0 0 40 12" }, line), name);
}

/** Round numbers, about three of them, from no more than low to no less than high. */
function levelsFor(low, high) {
  const rough = (high - low) / 3;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 2.5, 5, 10].find((each) => each * unit >= rough);
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(6)));
}

/**
 * The answer in every direction, from straight down by the left, the top and the right to straight
 * down again: { el, curves(answers, { vectors, values }), mark(clockwise, answer) }. The names of
 * the curves stand above; a single one needs none.
 */
export function chart({ names }) {
  const below = HEIGHT - ROOM.bottom;
  const x = (clockwise) =>
    ROOM.left + ((clockwise + 180) / 360) * (WIDTH - ROOM.left - ROOM.right);
  let levels = [0, 1];
  const y = (value) =>
    below - ((value - levels[0]) / (levels.at(-1) - levels[0])) * (below - ROOM.top);
  const grid = h("g", { class: "dial-grid" });
  const lines = h("g", {});
  const dots = h("g", {});
  const needle = h("line", { class: "dial-needle", y1: ROOM.top - 6, y2: below });
  const marks = h("g", {});
  const sheet = (kind, ...children) =>
    h("svg", { class: `dial-sheet ${kind}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, children);
  const el = h(
    "div",
    { class: "dial-chart", "aria-hidden": "true" },
    h("p", { class: "pf-note" }, "What comes back, wherever the query points"),
    h("p", { class: "dial-legend" }, names.map(legend)),
    h(
      "div",
      { class: "dial-sheets" },
      sheet("", grid, lines, dots),
      sheet("dial-over", needle, marks),
    ),
  );

  function curves(answers, { vectors, values }) {
    const numbers = values.flat();
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    levels = levelsFor(low, high > low ? high : low + 1);
    const rule = (value) => [
      h("line", { x1: ROOM.left, x2: WIDTH - ROOM.right, y1: y(value), y2: y(value) }),
      h(
        "text",
        { x: ROOM.left - 6, y: y(value) + 4, "text-anchor": "end" },
        String(value).replace("-", "−"),
      ),
    ];
    const anchors = { "-180": "start", 180: "end" };
    const ticks = [-180, -90, 0, 90, 180].map((clockwise) =>
      h(
        "text",
        { x: x(clockwise), y: HEIGHT - 5, "text-anchor": anchors[clockwise] ?? "middle" },
        `${(450 - clockwise) % 360}°`,
      ),
    );
    grid.replaceChildren(...levels.flatMap(rule), ...ticks);
    lines.replaceChildren(
      ...values[0].map((_, c) => {
        const points = answers.map((each, i) => `${round(x(i - 180))},${round(y(each[c]))}`);
        return h("polyline", { class: `dial-line dial-line-${c}`, points: points.join(" ") });
      }),
    );
    dots.replaceChildren(
      ...vectors.flatMap(([a, b], i) => {
        const angle = degrees(Math.atan2(b, a));
        const clockwise = 90 - (angle < -90 ? angle + 360 : angle);
        const cx = round(x(clockwise));
        return values[i].map((value, c) => {
          const kind = `dial-value-dot dial-value-dot-${c}`;
          return h("circle", { class: kind, r: 5, cx, cy: round(y(value)) });
        });
      }),
    );
    if (marks.children.length !== values[0].length) {
      marks.replaceChildren(
        ...values[0].map((_, c) => h("circle", { class: `dial-mark dial-mark-${c}`, r: 7 })),
      );
    }
  }

  function mark(clockwise, answer) {
    const at = round(x(clockwise));
    put(needle, "x1", at);
    put(needle, "x2", at);
    answer.forEach((value, c) => {
      put(marks.children[c], "cx", at);
      put(marks.children[c], "cy", round(y(value)));
    });
  }
  return { el, curves, mark };
}
