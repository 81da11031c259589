// The backward pass of a decoder's layer. A sum hands its gradient to both of its terms, which is why
// the gradient of the stream gets past every sublayer; without residuals it has to go through them.

import * as attending from "./attention.js";
import * as attention from "./attention_gradients.js";
import * as network from "./feed_forward_backward.js";
import * as layers from "./linear.js";
import * as norms from "./normalization_backward.js";
import * as rotary from "./rope.js";

/**
 * From the gradient of a layer's result, (T, D), to that of its input x.
 *
 * steps: what `forward` kept. receive(name, gradient) is handed the gradient of each parameter. context:
 * { positions, omega } as in layer.js.
 */
export function layerBackward(gradOutput, x, at, model, { steps, context, residuals, receive }) {
  const { config } = model;
  const step = (name) => steps.get(`${at}.${name}`);
  const middle = step("residual_1"); // between attention and the feed-forward network
  const norm = (which) => (grad, y) => normalizeBackward(grad, y, `${at}.norm_${which}`, model, receive);

  /** From the gradient after a sublayer, which reads y and writes `written`, to that of y. */
  function through(grad, y, written, normed, normBackward, sublayerBackward) {
    const joined = (around, inside) => (residuals ? layers.add(around, inside) : inside);
    if (config.norm_place === "pre") {
      return joined(grad, normBackward(sublayerBackward(grad, normed), y));
    }
    const gradSum = normBackward(grad, joined(y, written));
    return joined(gradSum, sublayerBackward(gradSum, y));
  }

  function partOf(name) {
    const part = (weight) => model.tensors.get(`${at}.${name}.${weight}`) ?? null;
    const gather = (linear, gradients) => {
      receive(`${at}.${name}.${linear}.weight`, gradients.weight);
      if (part(`${linear}.bias`)) receive(`${at}.${name}.${linear}.bias`, gradients.bias);
    };
    const linearBackward = (linear, grad, y) => {
      const gradients = attention.linearBackward(grad, y, part(`${linear}.weight`));
      gather(linear, gradients);
      return gradients.x;
    };
    return { part, receive: gather, linearBackward };
  }

  function attentionBackward(gradWritten, y) {
    const { linearBackward } = partOf("attention");
    const [q, k, v, weights, heads] = ["queries", "keys", "values", "weights", "heads"].map((name) =>
      step(`attention.${name}`),
    );
    const gradMerged = linearBackward("w_o", gradWritten, attending.mergeHeads(heads));
    const gradHeads = attending.splitHeads(gradMerged, config.n_heads);
    const grads = attention.attentionBackward(gradHeads, { q, k, v, weights });
    const back = context.positions.map((position) => -position); // a rotation's is the one backwards
    const unrotated = (each) =>
      context.omega ? rotary.applyRope(each, back, context.omega, config.position_layout) : each;
    const [fromQ, fromK, fromV] = [
      ["w_q", unrotated(grads.q)],
      ["w_k", unrotated(grads.k)],
      ["w_v", grads.v],
    ].map(([linear, grad]) => linearBackward(linear, attending.mergeHeads(grad), y));
    return layers.add(layers.add(fromQ, fromK), fromV);
  }

  function feedForwardBackward(gradWritten, y) {
    const part = partOf("feed_forward");
    const gradHidden = part.linearBackward("w_down", gradWritten, step("feed_forward.activations"));
    return network.activationsBackward(gradHidden, y, config.activation, part);
  }

  const [write1, write2] = [step("attention.output"), step("feed_forward.output")];
  const grad = through(gradOutput, middle, write2, step("norm_2"), norm(2), feedForwardBackward);
  return through(grad, x, write1, step("norm_1"), norm(1), attentionBackward);
}

/** From the gradient of the norm of this name to that of its input x; its parameters receive theirs. */
export function normalizeBackward(grad, x, name, { config, tensors }, receive) {
  const backward = config.norm === "rms" ? norms.rmsNormBackward : norms.layerNormBackward;
  const { x: gradX, ...parameters } = backward(grad, x, tensors.get(`${name}.gamma`), config.norm_eps);
  for (const [each, gradient] of Object.entries(parameters)) receive(`${name}.${each}`, gradient);
  return gradX;
}
