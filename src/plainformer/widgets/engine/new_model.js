// A model whose weights are random, as plainformer.blocks makes one: matrices as Glorot and Bengio
// draw them, the embedding so that a token's length is 1, γ of ones.

import * as philox from "../formulas/philox.js";

/** A small pre-norm decoder without biases: { config, tensors }. The same seed gives the same one. */
export function newModel({ vocab_size, d_model, n_layers, n_heads, d_ff }, seed) {
  const config = {
    family: "decoder",
    ...{ vocab_size, d_model, n_layers, n_heads, d_ff },
    ...{ n_kv_heads: n_heads, d_head: d_model / n_heads, attention_bias: false, ff_bias: false },
    ...{ norm: "rms", norm_place: "pre", norm_eps: 1e-6, activation: "silu" },
    ...{ positions: "alibi", max_length: null }, // it goes on past the length that it was trained on
    ...{ tied: true, scale_embedding: false, norm_embedding: false },
  };
  const tensors = new Map();
  let drawn = 0;
  const random = () => philox.randomAt(seed, (drawn += 1));
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const add = (name, shape, draw) => {
    const size = shape.reduce((product, each) => product * each, 1);
    tensors.set(name, { shape, data: Float32Array.from({ length: size }, draw) });
  };
  const matrix = (name, rows, columns) => {
    const limit = Math.sqrt(6 / (rows + columns));
    add(`${name}.weight`, [rows, columns], () => (2 * random() - 1) * limit);
  };
  const norm = (name) => add(`${name}.gamma`, [d_model], () => 1);

  add("embedding.tokens", [vocab_size, d_model], () => normal() / Math.sqrt(d_model));
  for (let i = 0; i < n_layers; i += 1) {
    const at = `layers.${i}`;
    for (const name of ["w_q", "w_k", "w_v", "w_o"]) matrix(`${at}.attention.${name}`, d_model, d_model);
    norm(`${at}.norm_1`);
    matrix(`${at}.feed_forward.w_up`, d_ff, d_model);
    matrix(`${at}.feed_forward.w_down`, d_model, d_ff);
    norm(`${at}.norm_2`);
  }
  norm("norm");
  return { config, tensors };
}
