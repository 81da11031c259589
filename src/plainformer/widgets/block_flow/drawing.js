// What BlockFlow draws: one cell of the river, a token's features after a sublayer.

import * as kit from "../kit/kit.js";
const { h } = kit;

const [STEP, HALF] = [20, 22]; // of a feature, and from the zero line to the top
const [LEFT, WIDE, SLIM] = [2.5, 9, 4]; // the bar of the stream, and beside it what was written

const round = (number) => String(Math.round(number * 100) / 100);

/** Set an attribute unless it is so already: what does not move is not painted again. */
function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * A cell: { el, draw(stream, written, limit) }; limit is the value of a bar from the zero line to
 * the edge; written is null in the first column, where nothing has written yet. A gate is a stroke
 * across the stream where a norm may stand.
 */
export function cell({ width, style, gate, onPick }) {
  const bar = (d, kind, left, wide) =>
    h("rect", { class: `bf-bar bf-${kind}`, x: STEP * d + left, width: wide });
  const streams = Array.from({ length: width }, (_, d) => bar(d, "stream", LEFT, WIDE));
  const writes = streams.map((_, d) => bar(d, "written", LEFT + WIDE + 1.5, SLIM));
  const el = h(
    "svg",
    {
      class: "bf-cell",
      viewBox: `0 ${-HALF} ${STEP * width} ${2 * HALF}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
      style,
      onclick: onPick,
    },
    h("line", { class: "bf-zero", x1: 0, x2: STEP * width, y1: 0, y2: 0 }),
    streams,
    writes,
    gate ? h("line", { class: "bf-gate", x1: 1, x2: 1, y1: 0.5 * HALF, y2: -0.5 * HALF }) : [],
  );

  function stand(rect, value, scale) {
    const up = value * scale;
    put(rect, "y", round(Math.min(0, -up)));
    put(rect, "height", round(Math.abs(up)));
    put(rect, "data-value", String(value));
  }
  function draw(stream, written, limit) {
    const scale = (HALF - 1.5) / limit;
    streams.forEach((rect, d) => stand(rect, stream[d], scale));
    writes.forEach((rect, d) => stand(rect, written ? written[d] : 0, scale));
  }
  return { el, draw };
}
