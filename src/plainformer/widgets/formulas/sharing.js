// What a step of training costs each process, as plainformer.training.sharing has it.

const SIZE = 4; // bytes of a number

/**
 * Bytes held and sent, and operations. Of the model: its parameters in all and inside its n_layers
 * layers, and the bytes of activations for one text of `length` tokens.
 */
export function shareOut({ parameters, layers, n_layers, activations, length }, batch, how, parts) {
  const N = how === "one" ? 1 : parts;
  const piece = how === "fsdp" ? N : 1;
  const ring = ((N - 1) * SIZE) / N;
  const [forward, backward] = { ddp: [0, 2], fsdp: [1, 1 + layers / parameters] }[how] ?? [0, 0];
  const collected = parameters - layers + layers / n_layers;
  return {
    weights: (SIZE * parameters) / piece,
    gradients: (SIZE * parameters) / piece,
    adam: (2 * SIZE * parameters) / piece,
    activations: (activations * batch) / N,
    collected: how === "fsdp" && N > 1 ? SIZE * collected : 0,
    forward: ring * forward * parameters,
    backward: ring * backward * parameters,
    operations: (6 * parameters * length * batch) / (how === "accumulate" ? 1 : N),
  };
}
