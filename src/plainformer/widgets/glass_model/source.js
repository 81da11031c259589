// Where a GlassModel gets its steps from: at first what the page brings, then the engine.
//
// The engine and the weights are fetched when somebody first asks for what the page does not have.
// A newer question overtakes an older one that waits; the last few answers are kept.

import * as summary from "./summary.js";
import * as engines from "./engine.js";

const KEPT = 8;
const keyOf = (ids, options) => JSON.stringify([ids, options]);
const NONE = { off: [], hidden: [], positions: true };

/** The engine's words for what is switched off: "1" is a layer, "1.2" its head 2. */
function forEngine({ off, hidden, positions }) {
  const parts = off.map((each) => each.split(".").map(Number));
  return {
    off: {
      heads: parts.filter((each) => each.length === 2),
      layers: parts.filter((each) => each.length === 1).map(([layer]) => layer),
    },
    hidden,
    positions,
  };
}

/** { look, wake, retry, status, tensor, stop }; onNews() is told when there is more to show. */
export function makeSource({ model, onNews }) {
  const { config, ids: first, options, summary: baked } = model.get("data");
  const known = new Map(); // key -> { summary, steps }
  const start = keyOf(first, options);
  let engine = null;
  let state = "asleep"; // then loading, ready, or failed
  let share = 0; // of the weights, that has come
  let failure = "";
  let wanted = []; // questions: { key, ids, options }
  let busy = false;
  let stopped = false;

  if (baked) known.set(start, { summary: summary.ofBaked(baked), steps: null });

  async function wake() {
    if (state === "loading" || state === "ready") return;
    [state, share] = ["loading", 0];
    onNews();
    try {
      const found = await engines.open({
        weights: model.get("weights"),
        layers: config.n_layers,
        onProgress(part) {
          share = part;
          onNews();
        },
        onNews,
      });
      if (stopped) return found.stop();
      engine = found;
      state = "ready";
    } catch (error) {
      if (stopped) return;
      [state, failure] = ["failed", error.message];
    }
    onNews();
    pump();
  }

  async function pump() {
    if (!engine || busy) return;
    const next = wanted.shift();
    if (!next) return;
    busy = true;
    try {
      const found = await engine.run(next.ids, forEngine(next.options));
      if (stopped || !found) return;
      const { steps, lens } = found;
      known.set(next.key, { summary: summary.ofSteps(steps, config, lens), steps });
      if (known.size > KEPT) known.delete([...known.keys()].find((key) => key !== start));
    } catch (error) {
      if (stopped) return;
      [state, failure] = ["failed", error.message];
    } finally {
      busy = false;
    }
    onNews();
    pump();
  }

  /**
   * What is known of some tokens under some experiments: { summary, steps }, or null, and then it is
   * asked for. steps is null where the page brought a summary alone; with `whole` they are asked for.
   */
  function look(ids, options = NONE, whole = false) {
    const key = keyOf(ids, options);
    const found = known.get(key) ?? null;
    if (found && (found.steps || (!whole && state !== "ready"))) return found;
    if (!wanted.some((each) => each.key === key)) {
      wanted = [...wanted.slice(-1), { key, ids, options }];
      if (engine) pump();
      else if (state === "asleep") queueMicrotask(wake); // not in the middle of a drawing
    }
    return found;
  }

  function retry() {
    if (state !== "failed") return; // a second press, before the first is seen
    engine?.stop();
    [state, engine] = ["asleep", null];
    wake();
  }

  return {
    look,
    wake,
    retry,
    status: () => ({ state, share, failure }),
    tensor: (name) => engine?.tensor(name), // null: there is none; undefined: it comes
    stop() {
      stopped = true;
      engine?.stop();
    },
  };
}
