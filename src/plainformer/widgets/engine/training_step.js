// One step of training: the loss of a batch, its gradient, and a step of AdamW.

import * as backwards from "./decoder_backward.js";
import * as decoder from "./decoder.js";
import * as losses from "./loss.js";
import * as optimizers from "./optimizers.js";

/**
 * The loss of a batch, in nats per token, and its gradient: { loss, gradients }.
 *
 * texts: B lists of T + 1 ids each; every id but the first is the target of those before it.
 * options: { residuals, causal }, as `forward` has them.
 */
export function lossAndGradients(model, texts, options = {}) {
  const gradients = backwards.newGradients(model);
  let loss = 0;
  for (const text of texts) {
    const [inputs, targets] = [text.slice(0, -1), text.slice(1)];
    const steps = decoder.forward(model, inputs, options);
    const logits = steps.get("logits");
    loss += losses.crossEntropy(logits, targets) / texts.length;
    const gradLogits = losses.crossEntropyBackward(logits, targets);
    for (let i = 0; i < gradLogits.data.length; i += 1) gradLogits.data[i] /= texts.length;
    backwards.backward(model, inputs, steps, gradLogits, gradients, options);
  }
  return { loss, gradients };
}

/** Take a step: the model and the optimizer's state are changed in place. Returns the loss before. */
export function trainingStep(model, optimizer, texts, { learningRate, weightDecay, ...options }) {
  const { loss, gradients } = lossAndGradients(model, texts, options);
  optimizers.adamw(model, gradients, optimizer, { learningRate, weightDecay });
  return loss;
}
