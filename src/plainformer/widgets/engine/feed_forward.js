// Inside a feed-forward layer, as plainformer.blocks.feed_forward and swiglu have it: what stands
// between the two products, after the activation and the gate.

import * as single from "../formulas/feed_forward.js";
import * as layers from "./linear.js";

const ROOT = Math.sqrt(2 / Math.PI);

const functions = {
  ...single.activations,
  gelu_tanh: (z) => 0.5 * z * (1 + Math.tanh(ROOT * (z + 0.044715 * z ** 3))),
};

/** (T, D) to (T, F). `part` gives the layer's weights by name, or null where it has none. */
export function activations(x, activation, part) {
  const up = layers.linear(x, part("w_up.weight"), part("w_up.bias"));
  if (activation !== "swiglu") return { shape: up.shape, data: up.data.map(functions[activation]) };
  const gate = layers.linear(x, part("w_gate.weight"), part("w_gate.bias"));
  return { shape: up.shape, data: up.data.map((each, i) => functions.silu(gate.data[i]) * each) };
}
