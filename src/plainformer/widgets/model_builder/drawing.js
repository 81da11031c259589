// What ModelBuilder draws: one stack of layers or two, as wide and as high as the sizes say.

import * as kit from "../kit/kit.js";
const { h } = kit;

const [WIDE, HIGH] = [220, 268];
const [LEAST, MOST] = [Math.log2(64), Math.log2(12288)];
const EDGE = 26; // of a slab at either end
const ROOM = 176; // for 96 layers

function put(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** The drawing: { el, set(config) }. */
export function stack() {
  const layers = ["attention", "feed_forward"].map((part) => h("path", { class: `mb-${part}` }));
  const ends = ["embedding", "head"].map((part) => h("rect", { class: `mb-end mb-${part}`, height: EDGE }));
  const arrow = h("path", { class: "mb-arrow" });
  const words = Array.from({ length: 4 }, () => h("text", { "text-anchor": "middle", x: WIDE / 2 }));
  const el = h(
    "svg",
    { class: "mb-stack", viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" },
    layers,
    ends,
    arrow,
    words,
  );

  function set(config) {
    const two = config.family === "encoder_decoder";
    const share = (Math.log2(config.d_model) - LEAST) / (MOST - LEAST);
    const width = 100 + 110 * share;
    const height = Math.max(8, ROOM * Math.sqrt(config.n_layers / 96));
    const each = height / config.n_layers;
    const bottom = (HIGH + height) / 2 - 14; // in the middle, with its words
    const half = two ? (width - 8) / 2 : width;
    const lefts = two ? [(WIDE - width) / 2, (WIDE + 8) / 2] : [(WIDE - width) / 2];
    const part = 0.42 * each; // of a layer's two halves; the rest is a gap
    const slab = (left, y) => `M${left.toFixed(1)} ${y.toFixed(2)}h${half.toFixed(1)}v${part.toFixed(2)}h${(-half).toFixed(1)}z`;
    layers.forEach((path, i) => {
      const all = lefts.flatMap((left) =>
        Array.from({ length: config.n_layers }, (_, l) =>
          slab(left, bottom - 6 - l * each - (i + 1) * part),
        ),
      );
      put(path, "d", all.join(""));
    });
    const top = bottom - 12 - height - EDGE;
    ends.forEach((rect, i) => {
      put(rect, "x", ((WIDE - width) / 2).toFixed(1));
      put(rect, "width", width.toFixed(1));
      put(rect, "y", (i ? top : bottom).toFixed(1));
    });
    ends[1].classList.toggle("mb-tied", config.tied);
    const middle = bottom - 6 - height / 2;
    put(arrow, "d", two ? `M${WIDE / 2 - 8} ${middle}h16m-5 -4l5 4l-5 4` : "");
    const V = kit.format(config.vocab_size);
    const D = kit.format(config.d_model);
    const said = [
      [`${V} × ${D}`, bottom + 17],
      [config.tied ? "same table" : `${D} × ${V}`, top + 17],
      [two ? "source and target" : "ids of the tokens", bottom + EDGE + 18],
      [`${two ? "2 × " : ""}${kit.many(config.n_layers, "layer")}`, top - 8],
    ];
    words.forEach((text, i) => {
      text.textContent = said[i][0];
      put(text, "y", said[i][1]);
    });
  }
  return { el, set };
}
