// The clocks of PositionalWaves: each pair of dimensions is a hand, and its tip is a pen.
//
// A hand starts at twelve and turns to the right. Its tip is as far to the right as the sine of the
// pair says, and as high as the cosine. Where the last sine has no cosine, there is half a hand.

import * as kit from "../kit/kit.js";
import * as sinusoids from "../formulas/sinusoidal.js";
const { h } = kit;

const LONG = 8.5; // a hand, in a clock of radius 10 with a margin of 1
const [WIDE, HIGH] = [1000, 100]; // of a wave's own units
const MOST = 6; // clocks that have a wave of their own

const height = (value) => ((HIGH / 2) * (1 - (LONG / 11) * value)).toFixed(2); // the tip's, beside it
const path = (name) => h("path", { class: `cv-path ${name}` });

/** The pairs that have a wave: all of a few, or some from the first to the last. */
export function shownPairs({ d_model: D }) {
  const pairs = Math.ceil(D / 2);
  if (pairs <= MOST) return Array.from({ length: pairs }, (_, i) => i);
  return Array.from({ length: MOST }, (_, i) => Math.round((i * (pairs - 1)) / (MOST - 1)));
}

function clock() {
  const hand = h("line", { class: "pw-hand", x1: 0, y1: 0 });
  const level = h("line", { class: "pw-level", x2: 11 });
  const el = h(
    "svg",
    { class: "pw-clock", viewBox: "-11 -11 22 22", "aria-hidden": "true" },
    h("circle", { class: "pw-face", r: 10 }),
    h("line", { class: "pw-twelve", x1: 0, y1: -10, x2: 0, y2: -7.5 }),
    level,
    hand,
    h("circle", { class: "pw-pin", r: 1 }),
  );
  function draw({ position: p, dimension, d_model: D, at }, i) {
    el.toggleAttribute("hidden", 2 * i >= D);
    if (2 * i >= D) return;
    const alone = 2 * i + 1 === D;
    const [x, y] = [LONG * at(p, 2 * i), alone ? 0 : -LONG * at(p, 2 * i + 1)];
    hand.classList.toggle("pw-half", alone);
    hand.setAttribute("x2", x);
    hand.setAttribute("y2", y);
    level.setAttribute("x1", x);
    for (const end of ["y1", "y2"]) level.setAttribute(end, y);
    el.classList.toggle("pw-here", i === Math.floor(dimension / 2));
  }
  return { el, draw };
}

/** All clocks side by side: { el, draw(now) }; onPick(dimension) is told which one a mouse pressed. */
export function row({ most, onPick }) {
  const all = Array.from({ length: most }, clock);
  all.forEach(({ el }, i) => el.addEventListener("click", () => onPick(2 * i)));
  const el = h("div", { class: "pw-clocks" }, all.map((each) => each.el));
  const draw = (now) => all.forEach((each, i) => each.draw(now, i));
  return { el, draw };
}

/** Clocks below one another, each beside the wave that its tip has drawn: { el, plots, draw(now) }. */
export function waves() {
  const all = Array.from({ length: MOST }, () => {
    const { el: face, draw } = clock();
    const [zero, level, height, aside, spot] = ["cv-zero", "pw-level", "cv-line cv-0", "cv-line cv-1", "cv-spot"].map(path);
    const box = { class: "pw-wave", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none" };
    const wave = h("svg", { ...box, "aria-hidden": "true" }, zero, level, aside, height, spot);
    const el = h("div", { class: "pw-split" }, face, wave);
    return { el, draw, zero, level, lines: [aside, height], spot, key: "" };
  });
  const plots = h("div", { class: "pw-plots" }, h("div", { class: "pw-cursor" }));
  const el = h("div", { class: "pw-waves" }, all.map((each) => each.el), plots);

  function draw(now) {
    const { position: p, d_model: D, base, length: T, reached, both } = now;
    const pairs = shownPairs(now);
    const x = (at) => (((at + 0.5) / T) * WIDE).toFixed(1);
    all.forEach((each, r) => {
      const i = pairs[r];
      each.el.hidden = i === undefined;
      if (each.el.hidden) return;
      each.draw(now, i);
      const alone = 2 * i + 1 === D;
      const tip = height(alone ? 0 : now.at(p, 2 * i + 1));
      each.level.setAttribute("d", `M0 ${tip}H${x(p)}`);
      each.spot.setAttribute("d", kit.dot(x(p), tip));
      const key = `${i} ${T} ${D} ${base} ${reached} ${both}`;
      if (key === each.key) return;
      each.key = key;
      each.zero.setAttribute("d", `M0 ${HIGH / 2}H${WIDE}`);
      const fine = Math.min(8, Math.ceil(50 / sinusoids.wavelength(2 * i, D, base)));
      each.lines.forEach((line, n) => {
        let d = "";
        const none = reached === 0 || (n === 0 ? !both : alone);
        for (let step = 0; !none && step <= reached * fine; step += 1) {
          const value = sinusoids.value(step / fine, 2 * i + n, D, base);
          d += `${step ? "L" : "M"}${x(step / fine)} ${height(value)}`;
        }
        line.setAttribute("d", d);
      });
    });
  }
  return { el, plots, draw };
}
