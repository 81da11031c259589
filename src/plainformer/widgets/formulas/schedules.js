// Learning rates, as plainformer.training.schedules has them. A step counts the updates before it.

const rise = (step, { peak, warmup }) => (peak * (step + 1)) / (warmup + 1);

const AFTER = {
  constant: (_, { peak }) => peak,
  step: (step, { peak, warmup, every, factor }) =>
    peak * factor ** Math.floor((step - warmup) / every),
  cosine(step, { peak, warmup, total, floor }) {
    const done = Math.min(1, (step - warmup) / (total - warmup)); // from 0 to 1
    const share = (1 + Math.cos(Math.PI * done)) / 2; // from 1 to 0
    return share * peak + (1 - share) * floor;
  },
  inverse: (step, { peak, warmup }) => peak * Math.sqrt((warmup + 1) / (step + 1)),
};

/** The rate of a step by the schedule of a kind: constant, step, cosine or inverse. */
export function rate(kind, step, settings) {
  return step < settings.warmup ? rise(step, settings) : AFTER[kind](step, settings);
}
