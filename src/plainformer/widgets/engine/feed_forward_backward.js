// The backward pass of what is inside a feed-forward layer, with a gate or without one.

import * as attention from "./attention_gradients.js";
import * as single from "../formulas/feed_forward.js";
import * as layers from "./linear.js";

const ROOT = Math.sqrt(2 / Math.PI);
const sigmoid = (z) => 1 / (1 + Math.exp(-z));

/** The slope of each activation. */
export const slopes = {
  relu: (z) => (z > 0 ? 1 : 0),
  gelu: (z) => 0.5 * (1 + single.erf(z / Math.SQRT2)) + (z * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI),
  gelu_tanh(z) {
    const tanh = Math.tanh(ROOT * (z + 0.044715 * z ** 3));
    return 0.5 * (1 + tanh) + 0.5 * z * (1 - tanh * tanh) * ROOT * (1 + 3 * 0.044715 * z * z);
  },
  silu: (z) => sigmoid(z) * (1 + z * (1 - sigmoid(z))),
};

/**
 * From the gradient of `activations`, (T, F), to that of x, (T, D).
 *
 * `part` gives the layer's weights by name, `receive(name, gradients)` is handed those of each linear
 * layer, as `linearBackward` returns them. What stood before the activation is computed once more.
 */
export function activationsBackward(gradHidden, x, activation, { part, receive }) {
  const linear = (name) => layers.linear(x, part(`${name}.weight`), part(`${name}.bias`));
  const shape = gradHidden.shape;
  const through = (name, data) => {
    const gradients = attention.linearBackward({ shape, data }, x, part(`${name}.weight`));
    receive(name, gradients);
    return gradients.x;
  };
  const up = linear("w_up").data;
  if (activation !== "swiglu") {
    const slope = slopes[activation];
    return through("w_up", gradHidden.data.map((each, i) => each * slope(up[i])));
  }
  const gate = linear("w_gate").data;
  const gradUp = gradHidden.data.map((each, i) => each * gate[i] * sigmoid(gate[i]));
  const gradGate = gradHidden.data.map((each, i) => each * up[i] * slopes.silu(gate[i]));
  return layers.add(through("w_up", gradUp), through("w_gate", gradGate));
}
