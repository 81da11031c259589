// What GradientFlow says: names and numbers as picture.py writes them, sentences, and the table.

import * as flow from "./flow.js";

const NOTHING = 1e-12; // what is closer to 0 than this has not moved
export const TITLES = { w_q: "W_q", w_k: "W_k", w_v: "W_v", scores: "score", weights: "weight" };

/** A number in at most six characters: 2, −0.77, +0.024, 2.3e5; 0 where nothing moves. */
export function number(value, signed = false) {
  const size = Math.abs(value);
  if (size < NOTHING) return "0";
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  let text = size >= 1000 ? size.toExponential(1).replace("e+", "e") : size.toFixed(places);
  if (!signed && size < 1000 && places) text = text.replace(/\.?0+$/, "");
  const sign = value < 0 ? "−" : signed ? "+" : "";
  return text === "0" && !signed ? "0" : sign + text;
}

/** Two numbers with as many decimals as it takes to tell them apart: ["0.562", "0.561"]. */
export function pair(before, after) {
  let digits = 2;
  const both = () => [before, after].map((each) => each.toFixed(digits).replace("-", "−"));
  do digits += 1;
  while (digits < 9 && Math.abs(before - after) > NOTHING && both()[0] === both()[1]);
  return both();
}

/** What one number is called: "W_q, row thing, column 1" or "the score of “is”". */
export function nameOf({ matrix, row, column }, { tokens, features, query }) {
  const token = (place) => {
    const again = tokens.filter((each) => each === tokens[place]).length > 1;
    return `“${tokens[place]}”${again ? ` (${place})` : ""}`;
  };
  if (matrix.startsWith("w_")) return `${TITLES[matrix]}, row ${features[row]}, column ${column}`;
  if (flow.upright(matrix)) return `the ${TITLES[matrix]} of ${token(column)}`;
  if (matrix === "x") return `x of ${token(row)}, ${features[column]}`;
  if (matrix === "loss") return "the loss";
  const place = matrix === "q" || matrix === "output" ? query : row;
  return `${matrix} of ${token(place)}, column ${column}`;
}

const targetName = (target) => (target === null ? "the loss" : `column ${target} of the output`);
const upper = (text) => text[0].toUpperCase() + text.slice(1);
const at = (all, { matrix, row, column }) => all[matrix][row][column];
const targetOf = (all, target) => (target === null ? all.loss[0][0] : all.output[0][target]);
const count = (all) => Object.values(all).flat(2).filter((each) => Math.abs(each) > NOTHING).length;

/** "by +0.50, from 1 to 1.5" */
function step(now, cell) {
  const [before, after] = [now.numbers, now.nudged].map((all) => number(at(all, cell)));
  return `by ${number(now.nudge, true)}, from ${before} to ${after}`;
}

/** A sentence on what the nudge does, or on what the gradient says of it. */
export function sentence(now) {
  const { view, nudge, target, chosen, changes, gradients, data } = now;
  const name = nameOf(chosen, data);
  const of = targetName(target);
  const all = Object.values(now.numbers).flat(2).length;
  if (view === "backward") {
    const slope = at(gradients, chosen);
    const rate = number(Math.abs(slope));
    const said =
      Math.abs(slope) <= NOTHING
        ? `has no say in ${of}`
        : `moves ${of} ${rate} times as far, ${slope > 0 ? "the same" : "the other"} way`;
    const here = `A small nudge of ${name} ${said}.`;
    const moved = targetOf(now.nudged, target) - targetOf(now.numbers, target);
    const nudged = nudge ? ` The nudge by ${number(nudge, true)} moves it by ${number(moved, true)}.` : "";
    return `Gradients of ${of}: ${count(gradients)} of ${all} are not 0. ${here}${nudged}`;
  }
  if (nudge === 0) return `${upper(name)} stays as it is: move the slider, and others move with it.`;
  const others = count(changes) - (Math.abs(at(changes, chosen)) > NOTHING);
  const [before, after] = [now.numbers, now.nudged].map((each) => targetOf(each, target));
  const [was, is] = pair(before, after);
  const moved =
    was === is ? `${of} stays at ${was}` : `${of} ${after < before ? "falls" : "rises"} from ${was} to ${is}`;
  const free = chosen.matrix === "weights" ? " (Moved alone, the weights no longer sum to 1.)" : "";
  return `Nudge ${name} ${step(now, chosen)}: ${others} others move, and ${moved}.${free}`;
}

/** What there is to say of one number: [its name, the rest]. */
export function reading(now, cell) {
  const { nudge, chosen, target, numbers, nudged, changes, gradients, data } = now;
  const [before, change] = [at(numbers, cell), at(changes, cell)];
  const rest = [
    Math.abs(change) > NOTHING
      ? `${number(before)} → ${number(at(nudged, cell))}, moved by ${number(change, true)}`
      : `${number(before)}, not moved`,
    `gradient ${number(at(gradients, cell), true)}`,
  ];
  const same = ["matrix", "row", "column"].every((each) => cell[each] === chosen[each]);
  if (same && nudge !== 0) {
    const moved = targetOf(nudged, target) - targetOf(numbers, target);
    const predicted = nudge * at(gradients, cell);
    rest.push(`predicts ${number(predicted, true)} for ${targetName(target)}, moved by ${number(moved, true)}`);
  }
  return [upper(nameOf(cell, data)), rest.join("; ")];
}

/** Every number with its change and its gradient. */
export function tables(now) {
  const six = (value) => String(Number(value.toFixed(6)) + 0).replace("-", "−");
  const rows = flow.NAMES.flatMap((matrix) =>
    now.numbers[matrix].flatMap((line, row) =>
      line.map((value, column) => {
        const cell = { matrix, row, column };
        const others = [value, at(now.changes, cell), at(now.gradients, cell)];
        return [upper(nameOf(cell, now.data)), ...others.map(six)];
      }),
    ),
  );
  const name = upper(nameOf(now.chosen, now.data));
  return [
    {
      caption: `Nudge: ${name}, by ${number(now.nudge, true)}. Gradients of ${targetName(now.target)}.`,
      columns: ["Number", "#Before", "#Moved by", "#Gradient"],
      rows,
      current: rows.findIndex(([each]) => each === name),
    },
  ];
}
