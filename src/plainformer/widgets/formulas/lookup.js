// A query among keys, as plainformer.attention.lookup has it: soft, sharp or hard.

const twelve = (number) => Math.round(number * 1e12) / 1e12; // a right angle is one
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

/** What a query among keys finds: { scores, weights, best, ties, answer }. */
export function lookup({ vectors, values, angle, sharpness, hard }) {
  const turn = (angle * Math.PI) / 180;
  const query = [Math.cos(turn), Math.sin(turn)].map((part) => sharpness * twelve(part));
  const scores = vectors.map((key) => dot(query, key));
  const most = Math.max(...scores);
  const best = scores.indexOf(most);
  const grown = scores.map((score, i) => (hard ? Number(i === best) : Math.exp(score - most)));
  const sum = grown.reduce((total, each) => total + each, 0);
  const weights = grown.map((each) => each / sum);
  const answer = values[0].map((_, c) =>
    weights.reduce((total, weight, i) => total + weight * values[i][c], 0),
  );
  return { scores, weights, best, ties: scores.filter((each) => each === most).length, answer };
}
