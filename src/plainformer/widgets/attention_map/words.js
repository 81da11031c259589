// What AttentionMap says: names of tokens, sentences, tables.
//
// The state that they read is the widget's traits with tokens, keys, names, shape and d_head, and
// `shown` (T · S weights), `nats` and `most` (T entropies, and the largest that each could be).

import * as kit from "../kit/kit.js";
import * as sums from "./weights.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
const { label, share } = written;

const EVEN = 0.005; // a row whose weights differ by less is said to be even
const LITTLE = 0.05; // a second weight that is less is not worth a word

/** A token as it is drawn: the space before a word is the gap before it. */
export const plain = (token) => (/^ [^ ]/.test(token) ? label(token.slice(1)) : label(token));

/** A token in quotes, with its position where there is another like it. */
export function named(tokens, place) {
  const again = tokens.indexOf(tokens[place]) !== tokens.lastIndexOf(tokens[place]);
  return `“${plain(tokens[place])}”${again ? ` at position ${place}` : ""}`;
}

/** "head 1" of the first head, or the name that Python gave it */
export const headName = ({ names }, head) => (names ? label(names[head]) : numbering.headName(head));

/** "Layer 1, head 2: ", as far as there is a choice */
function where({ shape: [layers, heads], ...now }) {
  const parts = [layers > 1 && numbering.layerName(now.layer), heads > 1 && headName(now, now.head)];
  const text = parts.filter(Boolean).join(", ");
  return text ? `${text[0].toUpperCase()}${text.slice(1)}: ` : "";
}

/** The keys that the chosen query sees, those with the most weight first. */
function order({ query, shown, shape: [, , , S], ...now }) {
  const seen = Array.from({ length: S }, (_, j) => j).filter((j) => sums.sees(query, j, now));
  return seen.sort((a, b) => shown[query * S + b] - shown[query * S + a] || a - b);
}

/** What the chosen query attends to. */
export function row(now) {
  const { tokens, keys, query, shown, shape: [, , , S] } = now; // prettier-ignore
  const weight = (j) => shown[query * S + j];
  const name = named(tokens, query);
  const [best, ...others] = order(now);
  if (best === undefined) return `${name} has no token left to attend to: all of them are masked.`;
  if (weight(best) === 0) {
    return `${name} has nothing left to attend to: all tokens that no mask hides had the weight 0.`;
  }
  const isSelf = (j) => keys === tokens && j === query;
  const called = (j) => (isSelf(j) ? "itself" : named(keys, j));
  if (!others.length) return `${name} can see only ${called(best)}, which gets all of its attention.`;
  if (weight(best) - weight(others.at(-1)) < EVEN) {
    const count = others.length + 1;
    const seen = count === S ? `all ${count} tokens` : `the ${count} tokens that it can see`;
    return `${name} gives the same share to ${seen}, ${share(1 / count)} each.`;
  }
  const second = weight(others[0]) < LITTLE ? "" : ` and ${share(weight(others[0]))} to ${called(others[0])}`;
  return `${name} gives ${share(weight(best))} of its attention to ${called(best)}${second}.`;
}

/** "1.50", "0.3": a temperature with three digits that count */
export const degrees = (temperature) => String(Number(temperature.toPrecision(3)));

/** A sentence on what has changed since the state before, and what the query attends to now. */
export function sentence(now, before) {
  const changed = (name) => before[name] !== undefined && before[name] !== now[name];
  const parts = [];
  if (changed("causal") && before.tokens === now.tokens) {
    parts.push(now.causal ? "Causal mask on: no token sees a later one." : "Causal mask off.");
  }
  if (before.tokens === now.tokens && String(before.padding) !== String(now.padding)) {
    const off = now.padding.flatMap((each, j) => (each ? [named(now.keys, j)] : []));
    const list = off.length > 6 ? `${off.length} tokens` : off.join(", ");
    parts.push(off.length ? `Padding mask on ${list}.` : "Padding mask off.");
  }
  if (changed("scaled")) {
    parts.push(`Scores ${now.scaled ? "" : "not "}divided by √${now.d_head}.`);
  }
  if (changed("temperature")) parts.push(`Temperature ${degrees(now.temperature)}.`);
  return [...parts, `${where(now)}${row(now)}`].join(" ");
}

/** How spread out the row of the query is. */
export function entropy({ query, nats, most }) {
  const [is, could] = [nats, most].map((list) => kit.format(list[query], 2));
  return `The entropy of this token’s weights is ${is} of at most ${could} nats.`;
}

/** The numbers: the row of the query, all weights, and the entropies. */
export function tables(now) {
  const { tokens, keys, query, shown, nats, most, shape: [, , T, S] } = now; // prettier-ignore
  const number = (i, j) => (sums.sees(i, j, now) ? shown[i * S + j].toFixed(7) : "masked");
  const any = (i) => keys.some((_, j) => shown[i * S + j] > 0);
  return [
    {
      caption: `${where(now)}weights of “${label(tokens[query])}” at position ${query}`,
      columns: ["#Position", "Token", "#Weight"],
      rows: keys.map((token, j) => [j, label(token), number(query, j)]),
    },
    {
      caption: `${where(now)}all weights, a row for each token that attends, and their entropy`,
      columns: [
        "#Position",
        "Token",
        ...keys.map((token, j) => `#${label(token)} (${j})`),
        "#Entropy, nats",
        "#At most",
      ],
      rows: tokens.slice(0, T).map((token, i) => [
        i,
        label(token),
        ...keys.map((_, j) => number(i, j)),
        any(i) ? nats[i].toFixed(7) : "–",
        most[i].toFixed(7),
      ]),
      current: query,
    },
  ];
}

/** How exact the numbers are, where they are not quite what Python was given. */
export function precision({ max_error: error }) {
  if (error <= 1e-6) return "";
  const unit = 10 ** (Math.floor(Math.log10(error)) - 1);
  const most = Number((Math.ceil(error / unit) * unit).toPrecision(2)); // two digits, rounded up
  return `The rows did not quite sum to 1 and were made to: each weight moved by ${most} at most.`;
}
