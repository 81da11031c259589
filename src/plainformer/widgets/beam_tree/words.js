// What BeamTree says: of each step, of each path, of each ranking, and as tables.

import * as kit from "../kit/kit.js";
import * as equations from "../kit/equations.js";
import * as math from "./tree.js";

const MOST_NAMED = 3; // of the beams of a step, in a sentence

/** A number with two decimals, or so many; never −0.00. */
export const signed = (value, digits = 2) =>
  kit.format(Math.abs(value) < 0.5 / 10 ** digits ? 0 : value, digits).replace("-", "−");

/** A number with up to three digits that count: 0.35, 40, 17.5. */
export const short = (value) => String(Number(value.toPrecision(3)));

/** A probability as a percentage, with three digits or, where room is scarce, mostly two. */
export const percent = (logProb, digits = 3) => {
  const value = 100 * Math.exp(logProb);
  if (value < 0.001) return "<0.001%";
  return `${Number(value.toPrecision(value < 99 ? digits : 3))}%`;
};

/** What stands in a node's box, in two pieces: of the token, and from the prompt to here. */
export const numbers = ({ logProb, score }) => [
  `${percent(logProb, 2)} · ${signed(logProb)}`,
  `Σ ${signed(score)}`,
];

/** A token with its spaces and line ends to be seen. */
export const visible = (word) => word.replaceAll(" ", "␣").replaceAll("\n", "↵") || "(empty)";

/** A text on one line, without the space that its first token may begin with. */
export const plain = (text) => text.trim().replaceAll("\n", "↵");

const quote = (text) => `“${plain(text)}”`;

/** A node's text; of one without a word, that there is none. */
export const named = (node) => (node.text ? quote(node.text) : "the end at once");

export const STATES = { kept: "kept", finished: "■ end", limit: "■ limit", pruned: "died" };
const BECAME = {
  kept: "Kept: it is continued.",
  finished: "Finished: the end of text.",
  limit: "Finished: it may not be longer.",
  pruned: "Died: others were better.",
};

/** A treeitem's name for a screen reader. */
export function label(node, prompt, best) {
  if (!node.parent) return `the prompt, ${quote(prompt)}`;
  const after = node.parent.parent ? `, after ${quote(node.parent.text)}` : "";
  const parts = [
    `${visible(node.word)}${after}`,
    percent(node.logProb),
    `log ${signed(node.logProb)}`,
    `sum ${signed(node.score)}`,
    STATES[node.status].replace("■ ", ""),
    node.greedy && "greedy took it",
    best && "the best finished so far",
  ];
  return parts.filter(Boolean).join(", ");
}

/** The sum of a path: log 0.5 + log 0.4 = −0.69 − 0.92 = −1.61, true as it is printed. */
export function pathSum(node) {
  const { score } = node;
  const logs = math.path(node).map(({ logProb }) => logProb);
  const sides = [
    [logs, (all) => all.map(Math.log)],
    [[score], (all) => [all.reduce((a, b) => a + b, 0)]],
  ];
  const found = equations.equation(logs.map(Math.exp), sides);
  const { decimals: [few, middle, last], inner, sign } = found;
  const first = logs.map((each) => `log ${equations.text(Math.exp(each), few)}`).join(" + ");
  const terms = logs.map((each) => equations.fixed(each, middle)).join(" + ");
  const between = logs.length > 1 ? ` ${inner} ${terms.replaceAll("+ −", "− ")}` : "";
  return `${first}${between} ${sign} ${equations.fixed(score, last)}`;
}

/** The path to a node, its sum, and what became of it. */
export function pathSentence(node, prompt) {
  if (!node.parent) return `${quote(prompt)} is the root: given, not chosen. Its sum is 0.`;
  const nodes = math.path(node);
  const words = [quote(prompt), ...nodes.map((each) => quote(visible(each.word)))].join(" → ");
  return `${words}: ${pathSum(node)}, probability ${percent(node.score)}. ${BECAME[node.status]}`;
}

function list(parts) {
  const shown = parts.slice(0, MOST_NAMED);
  if (parts.length > MOST_NAMED) shown.push(`${parts.length - MOST_NAMED} more`);
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : shown[0];
}

/** What a step did. */
export function stepSentence({ step, last, nodes, data, ranked }) {
  const { prompt, more, beams } = data;
  if (step === 0) {
    return `Only the prompt, ${quote(prompt)}. Each step keeps ${beamsOf(beams)} that may go on.`;
  }
  const here = nodes.filter((node) => node.step === step);
  here.sort((a, b) => b.score - a.score);
  const of = (status) => here.filter((node) => node.status === status);
  const name = (node) => `${named(node)} (${signed(node.score)})`;
  const parts = [`Step ${step} of ${last}: ${here.length + more[step - 1]} candidates.`];
  const [kept, whole] = [of("kept"), [...of("finished"), ...of("limit")]];
  if (whole.length) parts.push(`Finished: ${list(whole.map(name))}.`);
  const going = step < last ? "Kept" : "Kept, but the search stops here";
  if (kept.length) parts.push(`${going}: ${list(kept.map(name))}.`);
  const died = of("pruned").length + more[step - 1];
  if (died) parts.push(`${died} died.`);
  const when = step < last ? "so far" : "in the end";
  if (ranked.length) parts.push(`Best ${when}: ${named(ranked[0].node)}.`);
  return parts.join(" ");
}

export const beamsOf = (count) => (count === 1 ? "1 beam" : `${count} beams`);

/** A sum, its length and α, and the quotient: −1.82 / 4^0.5 = −0.91, true as it is printed. */
export function division(score, base, alpha, normalised) {
  const sides = [[[normalised], ([sum, length, power]) => [sum / length ** power]]];
  const { decimals: [few, last], sign } = equations.equation([score, base, alpha], sides);
  const [length, power] = [base, alpha].map((each) => equations.text(each, few));
  const result = equations.fixed(normalised, last);
  return `${equations.fixed(score, few)} / ${length}^${power} ${sign} ${result}`;
}

/** What another α does to the ranking. */
export function alphaSentence({ alpha, ranked, first, data, step }) {
  const at = `α = ${short(alpha)}`;
  if (!ranked.length) return `${at}: after step ${step} no text is finished, so none is ranked.`;
  const [{ node, normalised }] = ranked;
  const own = short(data.grown);
  const base = data.lengths[node.step];
  const wins = `${at}: ${named(node)} is best, ${division(node.score, base, alpha, normalised)}.`;
  const grown = `at α = ${own}, with which the tree was grown,`;
  if (node === first) return `${wins} So it is ${grown.slice(0, -1)}.`;
  return `${wins} The winner has changed: ${grown} it was ${named(first)}.`;
}

/** What greedy search did, beside the ranking. */
export function greedySentence({ data, alpha }) {
  const { text, score, base, whole } = data.greedy;
  const took = `Greedy search, which keeps 1 beam, ${whole ? "took" : "begins"} ${quote(text)}`;
  if (!whole) return `${took}; where it goes on, this tree does not know.`;
  if (score === null) return `${took}.`;
  const normalised = math.divided(score, base, alpha);
  return `${took}: ${division(score, base, alpha, normalised)}.`;
}

/** What has been weighed so far, and what is finished, as tables for the kit. */
export function tables({ step, nodes, data, ranked, alpha, chosen }) {
  const ninth = (value) => String(Number(value.toFixed(9)) + 0).replace("-", "−");
  const shown = nodes.filter((node) => node.step <= step);
  const left = data.more.slice(0, step).reduce((a, b) => a + b, 0);
  const candidates = {
    caption: `What was weighed up to step ${step}${left ? `; ${left} more died` : ""}`,
    columns: ["#Step", "After", "Token", "#Probability", "#Log", "#Sum", "Status", "Greedy"],
    rows: shown.map((node) => [
      node.step,
      node.step === 0 ? "" : plain(node.parent.text || data.prompt),
      node.step === 0 ? data.prompt : visible(node.word),
      ninth(Math.exp(node.logProb)),
      ninth(node.logProb),
      ninth(node.score),
      node.step === 0 ? "prompt" : STATES[node.status].replace("■ ", ""),
      node.greedy ? "took it" : "",
    ]),
    current: shown.indexOf(chosen),
  };
  if (!ranked.length) return [candidates];
  const finished = {
    caption: `Finished texts, ranked with α = ${short(alpha)}`,
    columns: ["#Rank", "Text", "#Tokens", "#Sum", `#Sum / ${data.rule}^α`],
    rows: ranked.map(({ node, normalised }, i) => [
      ...[i + 1, plain(node.text), node.step, ninth(node.score), ninth(normalised)],
    ]),
  };
  return [candidates, finished];
}
