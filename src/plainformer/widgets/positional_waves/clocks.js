// The clocks of PositionalWaves: a row of the table as hands, one for each pair of dimensions.
//
// A hand starts at twelve and turns to the right. Its tip is as far to the right as the sine of the
// pair says, and as high as the cosine. Where the last sine has no cosine, there is half a hand.

import * as kit from "../kit/kit.js";
import * as sinusoids from "../formulas/sinusoidal.js";
import * as words from "./words.js";
const { h } = kit;

const LONG = 8.5; // a hand, in a clock of radius 10

function clock(onPress) {
  const hand = h("line", { class: "pw-hand", x1: 0, y1: 0, x2: 0, y2: -LONG });
  const el = h(
    "svg",
    { class: "pw-clock", viewBox: "-11 -11 22 22", "aria-hidden": "true", onclick: onPress },
    h("circle", { class: "pw-face", r: 10 }),
    h("line", { class: "pw-twelve", x1: 0, y1: -10, x2: 0, y2: -7.5 }),
    hand,
    h("circle", { class: "pw-pin", r: 1 }),
  );
  return { el, hand };
}

/** The clocks: { el, draw(now) }; onPick(dimension) is told which one a mouse pressed. */
export function clocks({ most, onPick }) {
  const all = Array.from({ length: most }, (_, i) => clock(() => onPick(2 * i)));
  const el = h("div", { class: "pw-clocks", role: "img" }, all.map((each) => each.el));

  function draw(now) {
    const { position: p, dimension: d, d_model: D, base } = now;
    all.forEach(({ el: face, hand }, i) => {
      face.classList.toggle("pw-beyond-all", 2 * i >= D);
      if (2 * i >= D) return;
      face.classList.toggle("pw-here", i === Math.floor(d / 2));
      const alone = 2 * i + 1 === D;
      hand.classList.toggle("pw-half", alone);
      hand.setAttribute("x2", LONG * now.at(p, 2 * i));
      hand.setAttribute("y2", alone ? 0 : -LONG * now.at(p, 2 * i + 1));
    });
    const last = D - 1 - ((D - 1) % 2);
    const turns = (dimension) => words.turns(p / sinusoids.wavelength(dimension, D, base));
    el.setAttribute(
      "aria-label",
      `Clocks of position ${p}. The fastest hand has turned ${turns(0)}, the slowest ${turns(last)}.`,
    );
  }
  return { el, draw };
}
