// AdamW with weight decay only where it belongs, as plainformer.training.optimizers has it: matrices
// decay, biases and the γ and β of norms do not (Loshchilov and Hutter 2019, algorithm 2).

const EPS = 1e-8;

/** What AdamW remembers: averages m of each gradient and v of its square, and how many updates. */
export function newAdamW({ tensors }) {
  const zeros = () => new Map(Array.from(tensors, ([name, { data }]) => [name, new Float32Array(data.length)]));
  return { updates: 0, m: zeros(), v: zeros() };
}

/** Move every parameter, in place, against its gradient. */
export function adamw(model, gradients, state, { learningRate, weightDecay = 0.1, betas = [0.9, 0.95] }) {
  const [b1, b2] = betas;
  state.updates += 1;
  const [unbias1, unbias2] = [1 - b1 ** state.updates, 1 - b2 ** state.updates];
  for (const [name, { shape, data: theta }] of model.tensors) {
    const [g, m, v] = [gradients.get(name).data, state.m.get(name), state.v.get(name)];
    const kept = 1 - learningRate * (shape.length >= 2 ? weightDecay : 0);
    for (let i = 0; i < theta.length; i += 1) {
      m[i] = b1 * m[i] + (1 - b1) * g[i];
      v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
      const step = m[i] / unbias1 / (Math.sqrt(v[i] / unbias2) + EPS);
      theta[i] = kept * theta[i] - learningRate * step;
    }
  }
}
