// Where a Translator gets its searches from: the first one came with the page, then the engine.
//
// A search is { nodes, looks, done }: nodes as formulas/beam_search.js has them, and for each that went
// on the weights of cross-attention at its next word, (L, H, S) in a row. It grows step by step, and can
// be drawn meanwhile. A newer question ends an older one; the last few answers are kept.

import * as client from "../engine/client.js";
import * as searching from "../formulas/beam_search.js";
import * as vocabulary from "../formulas/vocabulary.js";

const KEPT = 8;
const STATUSES = ["kept", "finished", "pruned"]; // the same as in search.py
const { sos, eos } = vocabulary.ids;
const keyOf = (ids, k, place) => `${k}, ${place}: ${ids.join(" ")}`;

/** The first search, as search.py packed it. */
const unpacked = ({ nodes, looks }) => ({
  nodes: nodes.map(([parent, step, token, score, status], place) => ({
    place, parent, step, token, score, status: STATUSES[status],
  })), // prettier-ignore
  looks,
  done: true,
});

/** Cross-attention of the last token that was read: (L, H, S) in a row. */
function looksOf(steps, layers) {
  const parts = Array.from({ length: layers }, (_, i) => {
    const { shape: [, T], data } = steps.get(`decoder_layers.${i}.cross_attention.weights`); // prettier-ignore
    if (T !== 1) throw new Error("one token is read at a time");
    return data;
  });
  const whole = new Float32Array(layers * parts[0].length);
  parts.forEach((part, i) => whole.set(part, i * part.length));
  return whole;
}

/**
 * { ask, retry, status, stop }; onNews() is told when there is more to show. donor are the ids of a
 * sentence that a vector may come from.
 */
export function makeSource({ model, donor, most, onNews }) {
  const { first, n_layers: layers } = model.get("data");
  const known = new Map(); // key -> a search
  if (first) known.set(keyOf(first.ids, first.num_beams, first.place), unpacked(first));
  let engine = null;
  let state = "asleep"; // then loading, ready, or failed
  let share = 0; // of the weights, that has come
  let failure = "";
  let wanted = null; // the last question that had no answer yet: { key, ids, k, place, found }
  let stopped = false;

  async function wake() {
    if (state === "loading" || state === "ready") return;
    [state, share] = ["loading", 0];
    onNews();
    try {
      const weights = model.get("weights");
      if (!weights) throw new Error("A page can compute with the course’s own model only; Jupyter with any.");
      const onProgress = (got, size) => {
        share = got / size;
        onNews();
      };
      const found = await client.connect({ weights, onProgress });
      if (stopped) return found.stop();
      engine = found;
      state = "ready";
      answer(wanted);
    } catch (error) {
      fail(error);
    }
    onNews();
  }

  function fail(error) {
    if (!stopped) [state, failure] = ["failed", error.message];
    onNews();
  }

  /** Search, and end early if somebody asks for something else. */
  async function answer(question) {
    if (!question || question.found) return;
    const { key, ids, k, place } = question;
    const search = searching.beamSearch({ k, most, eos });
    const found = (question.found = { nodes: search.nodes, looks: [], done: false });
    const logits = new Map(); // place -> (V) of what follows
    const states = new Map(); // place -> from where the engine goes on
    const isOver = (steps) => !steps || stopped || question !== wanted;
    function take(place, steps) {
      const { shape: [, V], data } = steps.get("logits"); // prettier-ignore
      logits.set(place, data.subarray(data.length - V));
      states.set(place, steps.state);
      found.looks[place] = looksOf(steps, layers);
    }
    try {
      const patch = place !== null && { ids: donor, place };
      const start = await engine.run([sos], { source: ids, patch });
      if (isOver(start)) return;
      take(0, start);
      while (!found.done) {
        search.grow(search.beams().map(({ place }) => searching.logSoftmax(logits.get(place))));
        found.done = search.isDone();
        onNews();
        if (found.done) break;
        for (const { place, parent, token } of search.beams()) {
          const steps = await engine.next(states.get(parent), token);
          if (isOver(steps)) return;
          take(place, steps);
        }
      }
      state = "ready"; // if an older question failed, that is past
      known.set(key, found);
      if (known.size > KEPT) known.delete([...known.keys()][1]);
    } catch (error) {
      if (question === wanted) fail(error);
    }
  }

  /**
   * What is known of a search with k beams, with the donor's vector at a place or with none (null);
   * null before its first step, and then it is asked for.
   */
  function ask(ids, k, place) {
    const key = keyOf(ids, k, place);
    if (known.has(key)) {
      wanted = null;
      return known.get(key);
    }
    if (wanted?.key !== key) {
      wanted = { key, ids, k, place, found: null };
      if (engine) answer(wanted);
      else if (state === "asleep") queueMicrotask(wake); // not in the middle of a drawing
    }
    return wanted.found?.nodes.length > 1 ? wanted.found : null;
  }

  function retry() {
    if (state !== "failed") return; // a second press, before the first is seen
    engine?.stop();
    [state, engine] = ["asleep", null];
    if (wanted) wanted.found = null;
    wake();
  }

  return {
    ask,
    retry,
    status: () => ({ state, share, failure }),
    stop() {
      stopped = true;
      engine?.stop();
    },
  };
}
