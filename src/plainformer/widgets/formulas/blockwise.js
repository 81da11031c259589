// The online softmax, and the plain one that it is held against.

/** What is kept after every block: [{ start, end, high, fade, sum, add, top, total, output }]. */
export function sweep(scores, values, size) {
  const width = values[0].length;
  const zeros = () => new Array(width).fill(0);
  const kept = [{ start: 0, end: 0, top: -Infinity, total: 0, output: zeros() }];
  for (let start = 0; start < scores.length; start += size) {
    const before = kept[kept.length - 1];
    const end = Math.min(start + size, scores.length);
    const block = scores.slice(start, end);
    const high = Math.max(...block);
    const top = Math.max(before.top, high);
    const fade = Math.exp(before.top - top);
    const e = block.map((score) => Math.exp(score - top));
    const sum = e.reduce((a, b) => a + b, 0);
    const column = (c) => e.reduce((a, weight, i) => a + weight * values[start + i][c], 0);
    const add = zeros().map((_, c) => column(c));
    const total = fade * before.total + sum;
    const output = add.map((x, c) => fade * before.output[c] + x);
    kept.push({ start, end, high, fade, sum, add, top, total, output });
  }
  return kept;
}

/** The same result by the softmax of all scores at once. */
export function plain(scores, values) {
  const top = Math.max(...scores);
  const e = scores.map((score) => Math.exp(score - top));
  const total = e.reduce((a, b) => a + b, 0);
  const weights = e.map((x) => x / total);
  const output = values[0].map((_, c) => weights.reduce((a, w, j) => a + w * values[j][c], 0));
  return { weights, output };
}
