// Bars and curves in a box: drawn in SVG that is stretched to the box, with lines that keep their
// width, so nothing is measured and the theme's colours apply.

import * as kit from "./kit.js";
const { h } = kit;

const [WIDE, HIGH] = [1000, 400]; // of the drawings' own units

/** A drawing that fills its box. */
function drawing(...children) {
  const viewBox = `0 0 ${WIDE} ${HIGH}`;
  const stretched = { viewBox, preserveAspectRatio: "none", "aria-hidden": "true" };
  return h("svg", stretched, ...children);
}

const path = (name) => h("path", { class: `cv-path ${name}` });
const set = (element, d) => element.setAttribute("d", d);

/** A bar for every value from -1 to 1: { el, draw(values, chosen), share(value) }. */
export function bars() {
  const zero = path("cv-zero");
  const rest = path("cv-bars");
  const chosen = path("cv-bars cv-chosen");
  const share = (value) => (1.1 - value) / 2.2;
  const y = (value) => share(value) * HIGH;
  function draw(values, index) {
    const step = WIDE / values.length;
    const parts = Array.from(values, (value, i) => {
      const left = (i + 0.12) * step;
      const right = (i + 0.88) * step;
      return `M${left.toFixed(1)} ${y(0)}V${y(value).toFixed(1)}H${right.toFixed(1)}V${y(0)}Z`;
    });
    set(chosen, parts[index]);
    parts[index] = "";
    set(rest, parts.join(""));
  }
  set(zero, `M0 ${y(0)}H${WIDE}`);
  return { el: drawing(rest, chosen, zero), draw, share };
}

/**
 * Curves over whole numbers 0 to count - 1: { el, range, line, dots, mark }.
 *
 * range(count, low, high) sets both axes. line(i, key, f, fine) draws the curve of f, which is null
 * for none, at `fine` points a number; the same key again draws nothing. Curve 0 lies over the
 * others, but for the last. dots(key, f) marks the whole numbers of a curve, mark(x, y) one place;
 * share(y) says how far from the top of the box a value is.
 */
export function chart({ lines }) {
  const paths = Array.from({ length: lines }, (_, i) => ({ el: path(`cv-line cv-${i}`), key: "" }));
  const zero = path("cv-zero");
  const points = { el: path("cv-dots"), key: "" };
  const post = path("cv-post");
  const spot = path("cv-spot");
  let count = 1;
  let [low, high] = [-1, 1];
  const x = (at) => (((at + 0.5) / count) * WIDE).toFixed(1);
  const share = (value) => (high - value) / (high - low);
  const y = (value) => (share(value) * HIGH).toFixed(1);

  function range(most, least, greatest) {
    [count, low, high] = [most, least, greatest];
    set(zero, `M0 ${y(0)}H${WIDE}`);
  }

  function line(i, key, f, fine) {
    if (paths[i].key === key) return;
    paths[i].key = key;
    let d = "";
    for (let step = 0; f && step <= (count - 1) * fine; step += 1) {
      d += `${step ? "L" : "M"}${x(step / fine)} ${y(f(step / fine))}`;
    }
    set(paths[i].el, d);
  }

  function dots(key, f) {
    if (points.key === key) return;
    points.key = key;
    let d = "";
    for (let i = 0; f && i < count; i += 1) d += kit.dot(x(i), y(f(i)));
    set(points.el, d);
  }

  function mark(at, value) {
    set(post, `M${x(at)} 0V${HIGH}`);
    set(spot, kit.dot(x(at), y(value)));
  }

  const [first, ...others] = paths.map(({ el }) => el);
  const last = others.pop();
  const el = drawing(zero, post, others, first, points.el, last, spot);
  return { el, range, line, dots, mark, share };
}

/** A short piece of curve number i, for a key. */
export function sample(i) {
  return h(
    "svg",
    { class: "cv-sample", viewBox: "0 0 32 12", "aria-hidden": "true" },
    h("path", { class: `cv-path cv-line cv-${i}`, d: "M1 6H31" }),
  );
}
