// What TrainingLab draws: the loss of a run, step by step, and that of the run before it.

import * as kit from "../kit/kit.js";
import * as axes from "../kit/axes.js";
const { h } = kit;

const [WIDE, HIGH] = [1000, 300]; // of the drawing's own units
const LEAST_STEPS = 200; // so many have room from the start

/** A short piece of a run's line, with its name: { el, set(text) }; without a text it is hidden. */
function key(kind) {
  const piece = h("path", { class: `tl-line tl-${kind}`, d: "M1 5H31" });
  const name = h("span");
  const el = h("li", { hidden: true }, h("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" }, piece), name);
  const set = (text) => {
    el.hidden = !text;
    name.textContent = text;
  };
  return { el, set };
}

/** The first of some round numbers that divides the whole into five parts at most. */
const stride = (whole) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((each) => whole / each <= 5) ?? 2000;

const every = (step, end) => Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);

/** The curves: { el, draw({ now, before }) }, two runs, each { name, points }, or null. */
export function curves() {
  const lines = { before: h("path", { class: "tl-line tl-before" }), now: h("path", { class: "tl-line tl-now" }) };
  const spot = h("path", { class: "tl-spot" });
  const svg = h(
    "svg",
    { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...Object.values(lines),
    spot,
  );
  const frame = axes.frame({ content: svg, className: "tl-losses", near: 0.1 });
  const keys = { now: key("now"), before: key("before") };
  const names = h("ul", { class: "tl-keys", "aria-hidden": "true" }, keys.now.el, keys.before.el);

  function draw(runs) {
    const all = [runs.now, runs.before].flatMap((run) => run?.points ?? []);
    const end = Math.max(LEAST_STEPS, ...all.map(({ step }) => step));
    const top = Math.max(4, Math.ceil(Math.max(0, ...all.map(({ loss }) => loss))));
    const x = (step) => ((step / end) * WIDE).toFixed(1);
    const y = (loss) => ((1 - loss / top) * HIGH).toFixed(1);
    for (const [kind, line] of Object.entries(lines)) {
      const points = runs[kind]?.points ?? [];
      line.setAttribute("d", points.map(({ step, loss }, i) => `${i ? "L" : "M"}${x(step)} ${y(loss)}`).join(""));
      keys[kind].set(points.length ? runs[kind].name : "");
    }
    const last = runs.now?.points.at(-1);
    spot.setAttribute("d", last ? kit.dot(x(last.step), y(last.loss)) : "");
    frame.setX({
      title: "steps",
      ticks: every(stride(end), end).map((at) => ({ at: at / end, text: kit.format(at) })),
      mark: last && { at: last.step / end, text: kit.format(last.step) },
    });
    frame.setY({
      title: "loss, nats per character",
      ticks: every(stride(top), top).map((at) => ({ at: 1 - at / top, text: String(at) })),
      mark: last && { at: 1 - last.loss / top, text: kit.format(last.loss, 2) },
    });
  }
  return { el: h("div", { class: "tl-curves" }, names, frame.el), draw };
}
