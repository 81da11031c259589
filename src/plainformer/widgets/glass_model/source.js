// Where a GlassModel gets its steps from: at first what the page brings, then the engine.
//
// The engine and the weights are fetched when somebody first asks for what the page does not have.
// A newer question overtakes an older one that waits; the last few answers are kept. Where all but
// the last token of a text has been read, the engine goes on from there, with its cache.

import * as summary from "./summary.js";
import * as engines from "./engine.js";

const KEPT = 8;
const NONE = { off: [], hidden: [], positions: true };

/** The engine's words for what is switched off: "1" is layers[1], "1.2" the head at index 2 of it. */
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

/**
 * How much of an answer is wanted: a summary, with all probabilities of the next tokens, or with
 * every step.
 */
export const has = (found, need) =>
  Boolean({ steps: found.steps, shares: found.summary.shares, summary: true }[need]);

/**
 * { ask, use, wake, retry, status, tensor, stop }; onNews() is told when there is more to show.
 *
 * use(step) is for a model with checkpoints: from now on the questions go to that one (null: the
 * model at the end of its training), whose weights are fetched like the others, or come from Jupyter.
 */
export function makeSource({ model, onNews }) {
  const { config, ids: first, options, summary: baked, checkpoints, checkpoint } = model.get("data");
  const keyOf = (ids, options) => JSON.stringify([step, ids, options]);
  let step = checkpoint;
  const known = new Map(); // key -> { summary, steps, rows, state, fresh }
  let engine = null;
  let state = "asleep"; // then loading, ready, or failed
  let share = 0; // of the weights, that has come
  let failure = "";
  let wanted = []; // questions: { key, ids, options, need }
  let busy = false;
  let stopped = false;

  const start = keyOf(first, options);
  if (baked) known.set(start, { summary: summary.ofBaked(baked), steps: null });

  model.on("change:weights", onNews); // Jupyter sends those of another checkpoint

  /** Of the model that is asked; undefined while Jupyter has not sent them. */
  function weights() {
    const live = model.get("weights");
    if (live?.data) return live.step === step ? live : undefined;
    return step === null ? live : checkpoints.find((each) => each.step === step).weights;
  }

  function use(next) {
    if (next === step) return;
    engine?.stop();
    [step, engine, wanted, state] = [next, null, [], "asleep"];
  }

  async function wake() {
    if (state === "loading" || state === "ready") return;
    const mine = step;
    const there = weights();
    if (there === undefined) return; // woken again when they come
    [state, share] = ["loading", 0];
    onNews();
    try {
      const found = await engines.open({
        weights: there,
        onProgress(part) {
          if (mine !== step) return;
          share = part;
          onNews();
        },
        onNews,
      });
      if (stopped || mine !== step) return found.stop();
      engine = found;
      state = "ready";
    } catch (error) {
      if (stopped || mine !== step) return;
      [state, failure] = ["failed", error.message];
    }
    onNews();
    pump();
  }

  async function pump() {
    if (!engine || busy) return;
    const next = wanted.shift();
    if (!next) return;
    const there = known.get(next.key);
    if (there?.rows && has(there, next.need)) return pump(); // it was asked for while it was computed
    busy = true;
    const mine = step;
    try {
      await answer(next);
      if (stopped) return;
    } catch (error) {
      if (stopped) return;
      if (mine === step) [state, failure] = ["failed", error.message];
    } finally {
      busy = false;
    }
    onNews();
    pump();
  }

  /** Compute what is asked, and keep it. */
  async function answer({ ids, options, need }) {
    const { patch, ...plain } = options;
    const asked = engine; // it is stopped, and answers null, where another model is chosen meanwhile
    const key = keyOf(ids, options);
    const before = need === "steps" || patch ? null : known.get(keyOf(ids.slice(0, -1), options));
    const more = before?.state && (await goOn(before.state, ids.at(-1)));
    const replace = patch ? await taken(ids, patch, plain) : {};
    const steps = more || (await asked.run(ids, { ...forEngine(plain), replace }));
    if (!steps) return null;
    const fresh = summary.rowsOf(steps, config);
    const rows = more ? [...before.rows, ...fresh] : fresh;
    const last = ids.length - 1;
    const depths = new Map([[last, await asked.lens(rows[last])]]); // what is looked at first
    if (asked !== engine) return null;
    const found = {
      summary: summary.ofRows(rows, config, (t) => lensOf(asked, rows, depths, t)),
      steps: more ? null : steps,
      rows,
      state: steps.state,
      fresh: fresh.length,
    };
    known.delete(key);
    known.set(key, found);
    if (known.size > KEPT) known.delete([...known.keys()].find((each) => each !== start));
    return found;
  }

  /** The steps of one more token; null where the engine has forgotten the others. */
  const goOn = (state, id) => engine.next(state, id).catch(() => null);

  /** What each layer would say of token t; null until it is here. */
  function lensOf(asked, rows, depths, t) {
    if (!depths.has(t) && asked === engine) {
      depths.set(t, null);
      asked.lens(rows[t]).then((found) => {
        depths.set(t, found);
        onNews();
      });
    }
    return depths.get(t) ?? null;
  }

  /** The stream of a text after a layer, with the row of one token from another text. */
  async function taken(ids, { layer, token, other, at }, plain) {
    const name = `layers.${layer}.residual_2`;
    const mine = (await stepsOf(ids, plain)).get(name);
    const theirs = (await stepsOf(other, { ...plain, hidden: [] })).get(name);
    const D = mine.shape[1];
    const mixed = mine.data.slice();
    mixed.set(theirs.data.subarray(at * D, (at + 1) * D), token * D);
    return { [name]: mixed };
  }

  async function stepsOf(ids, options) {
    const found = known.get(keyOf(ids, options));
    return found?.steps ?? (await answer({ ids, options, need: "steps" })).steps;
  }

  /**
   * What is known of some tokens under some experiments: { summary, steps, fresh }, or null. Of what
   * is needed ("summary", "shares" or "steps"), what is not there is asked for. fresh is how many
   * tokens were computed, of which the others were in the cache.
   *
   * options: { off, hidden, positions, patch }; patch is { layer, token, other, at }: there the
   * stream of the token is that which token `at` has in the text `other`.
   */
  function ask(ids, options = NONE, need = "summary") {
    const key = keyOf(ids, options);
    const found = known.get(key) ?? null;
    const baked = found && !found.rows;
    if (found && has(found, need) && !(baked && state === "ready")) return found;
    if (!wanted.some((each) => each.key === key && each.need === need)) {
      wanted = [...wanted.filter((each) => each.key !== key).slice(-2), { key, ids, options, need }];
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
    ask,
    use,
    wake,
    retry,
    status: () => ({ state, share, failure }),
    tensor: (name) => engine?.tensor(name), // null: there is none; undefined: it comes
    stop() {
      stopped = true;
      model.off("change:weights", onNews);
      engine?.stop();
    },
  };
}
