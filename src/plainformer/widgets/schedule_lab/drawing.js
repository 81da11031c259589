// What ScheduleLab draws: a curve for each schedule, in a frame with axes.

import * as kit from "../kit/kit.js";
import * as axes from "../kit/axes.js";
const { h } = kit;

const [WIDE, HIGH] = [1000, 300]; // of the drawing's own units
const POINTS = 240; // of a curve
const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The end of the axis: 1, 2, 3 or 5 times a power of ten, the first that is not below the peak. */
function endOf(peak) {
  let power = Math.floor(Math.log10(peak) + 1e-9);
  const found = [1, 2, 3, 5].find((each) => each * 10 ** power >= peak * (1 - 1e-9));
  if (!found) power += 1;
  return { digit: found ?? 1, power };
}

/** The steps at which a curve is drawn: evenly, and where the peak is. */
function stepsOf({ warmup, total }) {
  const even = Array.from({ length: POINTS + 1 }, (_, i) => Math.round((i * total) / POINTS));
  return [...new Set([...even, warmup])].sort((a, b) => a - b);
}

/** A line of a kind, for its name. */
export const sample = (kind) =>
  h(
    "svg",
    { class: "sl-sample", viewBox: "0 0 36 8", "aria-hidden": "true" },
    h("path", { class: `sl-${kind}`, d: "M1 4H35" }),
  );

/** The curves: { el, draw({ kind, settings, step, rate }) }; rate(kind, step) is what they show. */
export function chart(kinds) {
  const lines = Object.fromEntries(
    kinds.map((kind) => [kind, h("path", { class: `sl-line sl-${kind}` })]),
  );
  const post = h("path", { class: "sl-post" });
  const spot = h("path", { class: "sl-spot" });
  const base = h("path", { class: "sl-base", d: `M0 ${HIGH}H${WIDE}` });
  const svg = h(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    base,
    post,
    Object.values(lines),
    spot,
  );
  let drawn = ""; // the settings whose curves stand there
  const frame = axes.frame({ content: svg, className: "sl-chart", near: 0.12 });

  /** The curves; they stay while only the step that is looked at is another. */
  function fresh(kind, settings, rate, x, y) {
    const { peak, warmup, total, every, factor, floor } = settings;
    const key = [kind, peak, warmup, total, every, factor, floor].join(" ");
    if (key === drawn) return;
    drawn = key;
    const steps = stepsOf(settings);
    for (const each of kinds) {
      const chosen = each === kind;
      lines[each].classList.toggle("sl-chosen", chosen);
      if (chosen) spot.before(lines[each]); // over the others
      // Stairs have upright edges; a slope goes straight from point to point.
      const to = (at) => {
        const [left, high] = [x(at), y(rate(each, at))];
        return each === "step" && at > warmup ? `H${left}V${high}` : `L${left} ${high}`;
      };
      lines[each].setAttribute("d", `M${steps.map(to).join("").slice(1)}`);
    }
  }

  function draw({ kind, settings, step, rate }) {
    const { peak, total } = settings;
    const { digit, power } = endOf(peak);
    const top = digit * 10 ** power;
    const x = (at) => ((at / total) * WIDE).toFixed(1);
    const y = (value) => ((1 - value / top) * HIGH).toFixed(1);
    fresh(kind, settings, rate, x, y);
    post.setAttribute("d", `M${x(step)} 0V${HIGH}`);
    spot.setAttribute("d", kit.dot(x(step), y(rate(kind, step))));
    const text = (number) => kit.format(number);
    frame.setX({
      title: "step",
      ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: text(Math.round(at * total)) })),
      mark: { at: step / total, text: text(step) },
    });
    const sign = power < 0 ? "⁻" : "";
    const raised = sign + [...String(Math.abs(power))].map((each) => POWERS[each]).join("");
    const here = rate(kind, step);
    frame.setY({
      title: power ? `rate × 10${raised}` : "rate",
      ticks: [1, 0.5, 0].map((part) => ({ at: 1 - part, text: String(part * digit) })),
      mark: { at: 1 - here / top, text: (here / 10 ** power).toFixed(2) },
    });
  }
  return { el: frame.el, draw };
}
