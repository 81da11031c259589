// The runs of TrainingLab: the one that trains, and the one before it, to be compared with.

import * as client from "../engine/training_client.js";

const SLICE = 150; // milliseconds of training between two looks at the model
const LETTERS = 120; // that it writes at each look
const PROBE = 16; // the first characters of the text, whose attention is shown
const LAYER = 1; // the last
const MOST_STEPS = 10_000; // then it stops by itself
const MOST_POINTS = 1000; // of a curve; then every other one is left out

const NO_NUMBERS = "The loss is no longer a number: begin a new run.";
const NO_STREAM =
  "The glass model shows what each layer adds to a stream, and without residuals no layer adds to one. Train with residuals to look inside.";

const emptyRun = (name) => ({ name, points: [], sample: "", tokens: null, attention: null, begun: false, broken: "" });
const inSight = () => new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

/**
 * Two runs and who trains them: { now, before, state, begin, toggle, pack, stop }.
 *
 * text() and settings(), { rate, broken }, are asked at every slice; name(settings) names a run.
 * onChange() is called when anything is to be drawn.
 */
export function makeLab({ engine, text, settings, name, onChange }) {
  const state = { running: false, problem: "", parameters: 0, pace: 0 };
  let trainer = null; // comes when it is first asked for
  let [now, before] = [emptyRun(""), null];
  let busy = false;
  let stopped = false;

  /** Begin with random weights; the run until now becomes the one before. */
  function begin() {
    if (now.points.length) before = now;
    now = emptyRun("");
    Object.assign(state, { problem: "", running: state.running && text().length > 0 });
    onChange();
  }

  function toggle() {
    Object.assign(state, { problem: "", running: !state.running });
    onChange();
    if (state.running && !busy) train();
  }

  /**
   * The model as it is now, halted: training_client's, and { text, broken }, what it learned last and
   * how. Null, with the reason in state(), where there is none to be had.
   */
  async function pack() {
    const run = now;
    Object.assign(state, { problem: run.broken === "residuals" ? NO_STREAM : "", running: false });
    onChange();
    if (state.problem) return null;
    try {
      return { ...(await trainer.pack()), text: text(), broken: run.broken };
    } catch (error) {
      state.problem = /finite/.test(error.message) ? NO_NUMBERS : error.message;
      onChange();
      return null;
    }
  }

  async function train() {
    busy = true;
    try {
      trainer ??= await client.connect({ code: engine });
      while (state.running && !stopped) {
        await slice(now);
        if (document.hidden) await inSight();
      }
    } catch (error) {
      Object.assign(state, { running: false, problem: `${error.message}` });
    }
    busy = false;
    if (stopped) trainer?.stop();
    else onChange();
  }

  /** Train for a moment, and look at what the model does now. */
  async function slice(run) {
    if (!run.begun) {
      state.parameters = (await trainer.begin({ text: text(), seed: 0 })).parameters;
      run.begun = true;
    }
    const { rate, broken } = settings();
    run.broken = broken;
    const ways = { residuals: broken !== "residuals", causal: broken !== "mask" };
    const options = { ...ways, learningRate: broken === "rate" ? 100 * rate : rate };
    const begun = performance.now();
    const { step, losses } = await trainer.train({ milliseconds: SLICE, options });
    const seconds = (performance.now() - begun) / 1000;
    const sample = await trainer.write({ ...ways, length: LETTERS });
    const probe = Array.from(text()).slice(0, PROBE).join("");
    const { tokens, attention } = await trainer.attention({ ...ways, text: probe, layer: LAYER });
    if (run !== now || stopped) return; // another has begun
    const loss = mean(losses);
    if (!Number.isFinite(loss)) throw new Error(NO_NUMBERS);
    run.points.push({ step, loss });
    if (run.points.length > MOST_POINTS) run.points = run.points.filter((_, i) => i % 2);
    Object.assign(run, { sample, tokens, attention: firstHead(attention), name: name({ rate, broken }) });
    state.pace = Math.round(losses.length / seconds);
    if (step >= MOST_STEPS) state.running = false;
    onChange();
  }

  function stop() {
    stopped = true;
    state.running = false;
    trainer?.stop();
  }
  return { now: () => now, before: () => before, state: () => state, begin, toggle, pack, stop };
}

/** The rows of a map: (T, T) of (H, T, T). */
function firstHead({ shape: [, T, S], data }) {
  return Array.from({ length: T }, (_, t) => Array.from(data.subarray(t * S, (t + 1) * S)));
}
