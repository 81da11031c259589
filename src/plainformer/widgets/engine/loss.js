// The loss that training minimises, as plainformer.training.loss has it, and its gradient.

/** The mean of -log p over T targets, in nats. Logits are (T, V). */
export function crossEntropy(logits, targets) {
  const [T, V] = logits.shape;
  let sum = 0;
  targets.forEach((target, t) => {
    sum += logSumExp(logits.data, t * V, V) - logits.data[t * V + target];
  });
  return sum / T;
}

/** Its gradient: of each logit the probability, less 1 where the target is, over T. */
export function crossEntropyBackward(logits, targets) {
  const [T, V] = logits.shape;
  const data = new Float32Array(T * V);
  targets.forEach((target, t) => {
    const log = logSumExp(logits.data, t * V, V);
    for (let v = 0; v < V; v += 1) {
      const p = Math.exp(logits.data[t * V + v] - log);
      data[t * V + v] = (p - (v === target ? 1 : 0)) / T;
    }
  });
  return { shape: [T, V], data };
}

/** The logarithm of a row's sum of exps, of V numbers from a place on. */
function logSumExp(data, from, V) {
  let top = -Infinity;
  for (let i = from; i < from + V; i += 1) top = Math.max(top, data[i]);
  let sum = 0;
  for (let i = from; i < from + V; i += 1) sum += Math.exp(data[i] - top);
  return top + Math.log(sum);
}
