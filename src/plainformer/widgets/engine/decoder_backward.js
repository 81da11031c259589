// The backward pass of a DecoderOnly: from the gradient of its logits to that of every parameter.

import * as attention from "./attention_gradients.js";
import * as embedding from "./embedding.js";
import * as stack from "./layer_backward.js";
import * as rotary from "./rope.js";

/** A gradient of 0 for every parameter: a Map of { shape, data }. */
export const newGradients = ({ tensors }) =>
  new Map(
    Array.from(tensors, ([name, { shape, data }]) => [name, { shape, data: new Float32Array(data.length) }]),
  );

/**
 * Add to `gradients` what a text contributes.
 *
 * ids and steps: what `forward` was given and returned, without a cache, and with nothing off, hidden
 * or replaced. gradLogits: (T, V). residuals: as in the forward pass. (Without the mask nothing is
 * different, because the weights are where it was.)
 */
export function backward(model, ids, steps, gradLogits, gradients, { residuals = true } = {}) {
  const { config, tensors } = model;
  const positions = Array.from(ids, (_, t) => t);
  const rope = config.positions === "rope";
  const context = { positions, omega: rope ? rotary.ropeFrequencies(config.d_head, config) : null };
  const receive = (name, { data }) => {
    const sums = gradients.get(name).data;
    for (let i = 0; i < sums.length; i += 1) sums[i] += data[i];
  };

  const table = tensors.has("head.table") ? "head.table" : "embedding.tokens";
  const outputOf = (layer) => steps.get(layer < 0 ? "embedding" : `layers.${layer}.residual_2`);
  const last = outputOf(config.n_layers - 1);
  const pre = config.norm_place === "pre";
  const head = attention.linearBackward(gradLogits, pre ? steps.get("norm") : last, tensors.get(table));
  receive(table, head.weight);
  if (tensors.has("head.bias")) receive("head.bias", head.bias);
  let grad = pre ? stack.normalizeBackward(head.x, last, "norm", model, receive) : head.x;
  for (let i = config.n_layers - 1; i >= 0; i -= 1) {
    const there = { steps, context, residuals, receive };
    grad = stack.layerBackward(grad, outputOf(i - 1), `layers.${i}`, model, there);
  }
  embedBackward(grad, Array.from(ids), positions, model, gradients, receive);
}

/** From the gradient of `embed`, (T, D), to those of its tables, each in the rows that were read. */
function embedBackward(grad, ids, positions, model, gradients, receive) {
  const { config } = model;
  const D = config.d_model;
  if (config.norm_embedding) {
    const sum = embedding.embeddingSum(ids, positions, model);
    grad = stack.normalizeBackward(grad, sum, "embedding.norm", model, receive);
  }
  function receiveRows(name, rows, factor = 1) {
    const sums = gradients.get(name)?.data;
    if (!sums) return;
    rows.forEach((row, t) => {
      for (let d = 0; d < D; d += 1) sums[row * D + d] += factor * grad.data[t * D + d];
    });
  }
  receiveRows("embedding.tokens", ids, config.scale_embedding ? Math.sqrt(D) : 1);
  receiveRows("embedding.positions", positions);
  receiveRows("embedding.segments", ids.map(() => 0));
}
