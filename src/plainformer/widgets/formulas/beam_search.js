// Beam search, as plainformer.decoding.search has it, with no penalty for length: keep the k best
// texts, continue each by every token, keep the k best again. Texts that ended stand in a list of
// their own. With one beam it is greedy search.

/** Logarithms of the probabilities that belong to logits. */
export function logSoftmax(logits) {
  const top = logits.reduce((most, z) => (z > most ? z : most), -Infinity);
  const sum = logits.reduce((total, z) => total + Math.exp(z - top), 0);
  return Float64Array.from(logits, (z) => z - top - Math.log(sum));
}

/**
 * Of all beams with one token more, the `count` of highest score: [{ beam, token, score }], the best
 * first. scores has a number for each beam, logProbs V numbers for each. Ties go to the earlier beam,
 * then to the lower id.
 */
export function bestContinuations(scores, logProbs, count) {
  const V = logProbs[0].length;
  const totals = new Float64Array(scores.length * V);
  logProbs.forEach((row, b) => row.forEach((each, i) => (totals[b * V + i] = scores[b] + each)));
  const worst = Float64Array.from(totals).sort()[Math.max(0, totals.length - count)];
  const places = Array.from(totals.keys()).filter((i) => totals[i] >= worst);
  places.sort((i, j) => totals[j] - totals[i] || i - j);
  const best = places.slice(0, count).filter((i) => totals[i] > -Infinity);
  return best.map((i) => ({ beam: Math.floor(i / V), token: i % V, score: totals[i] }));
}

/**
 * A search with k beams, of at most `most` tokens: { nodes, beams, isDone, grow }.
 *
 * A node is { place, parent, step, token, score, status }: parent is a place in nodes, status "kept",
 * "finished" or "pruned". beams() are the nodes that go on; grow(logProbs), with V numbers for each of
 * them, takes a step.
 */
export function beamSearch({ k, most, eos }) {
  const nodes = [{ place: 0, parent: -1, step: 0, token: -1, score: 0, status: "kept" }];
  let beams = [nodes[0]];
  let whole = []; // the best first
  let step = 0;

  function grow(logProbs) {
    step += 1;
    const scores = beams.map(({ score }) => score);
    let survivors = 0;
    const fresh = bestContinuations(scores, logProbs, 2 * k).map(({ beam, token, score }, rank) => {
      const ends = step === most || token === eos;
      const stays = ends ? rank < k : survivors < k;
      survivors += Number(stays && !ends);
      const status = !stays ? "pruned" : ends ? "finished" : "kept";
      return { place: nodes.length + rank, parent: beams[beam].place, step, token, score, status };
    });
    nodes.push(...fresh);
    beams = fresh.filter(({ status }) => status === "kept");
    whole = [...whole, ...fresh.filter(({ status }) => status === "finished")];
    whole = whole.sort((a, b) => b.score - a.score).slice(0, k);
  }

  /** Whether no beam goes on, or none can beat the worst of k whole texts: tokens never raise a score. */
  const isDone = () =>
    beams.length === 0 || (whole.length === k && beams[0].score <= whole[k - 1].score);

  return { nodes, beams: () => beams, isDone, grow };
}
