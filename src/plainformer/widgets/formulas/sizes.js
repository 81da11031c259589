// What a model costs, from its configuration, as plainformer.blocks.sizes has it.

const perHead = (c) => (c.n_kv_heads ?? c.n_heads) * c.d_head; // width of all keys
const isPair = (c) => c.family === "encoder_decoder";
const gated = (c) => c.activation === "swiglu";
const projections = (c) => {
  const [wide, shared] = [c.d_model * c.n_heads * c.d_head, c.d_model * perHead(c)];
  return { q: wide, k: shared, v: shared, o: wide };
};
const feedForward = (c) => (gated(c) ? 3 : 2) * c.d_model * c.d_ff;
const total = (parts) => Object.values(parts).reduce((sum, each) => sum + each, 0);

/** Parameters by part; attention_bias is true or false. */
export function countParameters(c) {
  const [D, V, L] = [c.d_model, c.vocab_size, c.n_layers];
  const stacks = isPair(c) ? 2 : 1;
  const attentions = isPair(c) ? 3 * L : L;
  const biases = c.attention_bias ? c.n_heads * c.d_head + 2 * perHead(c) + D : 0;
  const wide = c.ff_bias ? (gated(c) ? 2 : 1) * c.d_ff + D : 0;
  const norm = c.norm === "rms" ? D : 2 * D;
  const ends = Number(c.norm_embedding) + (c.norm_place === "pre" ? stacks : 0);
  const transform = c.head === "transform" ? D * D + D + norm : 0;
  return {
    embedding: V * D + c.n_segments * D,
    positions: c.positions === "learned" ? c.max_length * D : 0,
    attention: attentions * (total(projections(c)) + biases),
    feed_forward: stacks * L * (feedForward(c) + wide),
    norms: (attentions + stacks * L + ends) * norm,
    head: transform + (c.tied ? 0 : V * D) + (c.head_bias ? V : 0),
  };
}

/** Operations by part for one of T tokens, which looks at T; of a pair, for one of each text. */
export function countOperations(c, T) {
  const [D, L] = [c.d_model, c.n_layers];
  const times = isPair(c) ? 3 : 1; // its own layers, the other stack's, and the look across
  return {
    projections: 2 * L * times * total(projections(c)),
    scores: 4 * L * times * T * c.n_heads * c.d_head,
    feed_forward: 2 * L * (isPair(c) ? 2 : 1) * feedForward(c),
    head: 2 * (D * c.vocab_size + (c.head === "transform" ? D * D : 0)),
  };
}

/** Bytes of keys and values for T tokens, two bytes a number. */
export const cacheBytes = (c, T) => 4 * c.n_layers * perHead(c) * T;

/** Numbers that training keeps for one text: { weights, activations }, in bytes of float32. */
export function trainingBytes(c, T) {
  const [D, L, H] = [c.d_model, c.n_layers, c.n_heads];
  const [query, keys] = [H * c.d_head, 2 * perHead(c)];
  const inside = ({ relu: 1, swiglu: 4 }[c.activation] ?? 2) * c.d_ff;
  const own = T * (4 * D + 2 * query + keys + inside) + H * T * T;
  const across = T * (2 * D + 2 * query + keys) + H * T * T;
  const layers = L * (isPair(c) ? 2 * own + across : own);
  const head = T * (2 * D + (c.head === "transform" ? 2 * D : 0) + c.vocab_size);
  return { weights: 16 * total(countParameters(c)), activations: 4 * (layers + head) };
}
