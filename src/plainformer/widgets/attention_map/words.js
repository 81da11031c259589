// What AttentionMap says: names of tokens, sentences, tables.
//
// The state that they read is the widget's traits with tokens, keys, names, shape and d_head, and
// `shown` (T · S weights), `nats` and `most` (T entropies, and the largest that each could be).

import * as kit from "../kit/kit.js";
import * as sums from "./weights.js";
import * as written from "../kit/token_words.js";
const { label, share } = written;

const NUMBER = kit.format;

/** A token in quotes, with its position where there is another like it. */
export function named(tokens, place) {
  const again = tokens.indexOf(tokens[place]) !== tokens.lastIndexOf(tokens[place]);
  return `“${label(tokens[place])}”${again ? ` at position ${place}` : ""}`;
}

/** "head 1", or the name that Python gave it */
export const headName = (now, head = now.head) =>
  now.names ? label(now.names[head]) : `head ${head}`;

/** "layer 0, head 1: ", as far as there is a choice */
function where({ shape: [layers, heads], ...now }) {
  const parts = [layers > 1 && `layer ${now.layer}`, heads > 1 && headName(now)].filter(Boolean);
  const text = parts.join(", ");
  return text ? `${text[0].toUpperCase()}${text.slice(1)}: ` : "";
}

/** The place of the largest weight of a row, or −1 where nothing is left. */
function top({ shown, shape: [, , , S] }, query) {
  let best = -1;
  for (let j = 0; j < S; j += 1) {
    if (shown[query * S + j] > (best < 0 ? 0 : shown[query * S + best])) best = j;
  }
  return best;
}

/** What the chosen query looks at. */
export function row(now) {
  const { tokens, keys, query, shown, shape: [, , , S] } = now;
  const name = `“${label(tokens[query])}” at position ${query}`;
  const best = top(now, query);
  if (best < 0) {
    const masked = !keys.some((_, j) => sums.sees(query, j, now));
    return masked
      ? `${name} has no key left to look at: all are masked, and no weights sum to 1 over nothing.`
      : `${name} has nothing left to look at: the keys that no mask hides had the weight 0.`;
  }
  const nats = `${NUMBER(now.nats[query], 2)} of at most ${NUMBER(now.most[query], 2)} nats`;
  const value = share(shown[query * S + best]);
  const other =
    now.key === best
      ? ""
      : sums.sees(query, now.key, now)
        ? ` At ${named(keys, now.key)}: ${share(shown[query * S + now.key])}.`
        : ` It cannot see ${named(keys, now.key)}.`;
  return `${name} looks most at ${named(keys, best)}, ${value}; entropy ${nats}.${other}`;
}

/** The chosen cell, for the map's own value. */
export function cell(now) {
  const { tokens, keys, query, key, shown, shape: [, , , S] } = now;
  const side = (list, place) => `“${label(list[place])}”, position ${place}`;
  const pair = `${side(tokens, query)}, to ${side(keys, key)}`;
  if (!sums.sees(query, key, now)) return `${pair}: masked`;
  return `${pair}: weight ${shown[query * S + key].toFixed(3)}`;
}

/** "1.50", "0.3": a temperature with three digits that count */
export const degrees = (temperature) => String(Number(temperature.toPrecision(3)));

/** A sentence on what has changed since the state before, and what the query looks at now. */
export function sentence(now, before) {
  const said = row(now);
  const changed = (name) => before[name] !== undefined && before[name] !== now[name];
  const parts = [];
  if (changed("causal")) {
    parts.push(now.causal ? "Causal mask on: no query sees a later key." : "Causal mask off.");
  }
  if (before.padding && String(before.padding) !== String(now.padding)) {
    const off = now.padding.flatMap((each, j) => (each ? [named(now.keys, j)] : []));
    const list = off.length > 6 ? `${off.length} keys` : off.join(", ");
    parts.push(off.length ? `Padding mask on ${list}.` : "Padding mask off.");
  }
  if (changed("scaled")) {
    const root = `√${now.d_head}`;
    parts.push(now.scaled ? `Scores divided by ${root}.` : `Scores not divided by ${root}.`);
  }
  if (changed("numbers")) parts.push(`Numbers in the cells ${now.numbers ? "shown" : "hidden"}.`);
  if (changed("temperature")) parts.push(`Temperature ${degrees(now.temperature)}.`);
  return `${parts.join(" ")}${parts.length ? " " : ""}${where(now)}${said}`;
}

/** The numbers: the row of the query, the whole map, and the entropies. */
export function tables(now) {
  const { tokens, keys, query, shown, nats, most, shape: [, , T, S] } = now;
  const number = (i, j) => (sums.sees(i, j, now) ? shown[i * S + j].toFixed(7) : "masked");
  const left = (i) => top(now, i) >= 0;
  return [
    {
      caption: `${where(now)}weights of “${label(tokens[query])}” at position ${query}`,
      columns: ["#Position", "Key", "#Weight"],
      rows: keys.map((token, j) => [j, label(token), number(query, j)]),
      current: now.key,
    },
    {
      caption: `${where(now)}all weights, a row for each query, and their entropy`,
      columns: [
        "#Position",
        "Query",
        ...keys.map((token, j) => `#${label(token)} (${j})`),
        "#Entropy, nats",
        "#At most",
      ],
      rows: tokens.slice(0, T).map((token, i) => [
        i,
        label(token),
        ...keys.map((_, j) => number(i, j)),
        left(i) ? nats[i].toFixed(7) : "–",
        most[i].toFixed(7),
      ]),
      current: query,
    },
  ];
}

/** How to use it, and how exact the numbers are. */
export function note({ max_error: error }) {
  const hint =
    "Point at a row to see where its query looks, press to keep it; arrow keys move. All bands " +
    "together are as thick as a weight of 1.";
  if (error <= 1e-6) return hint;
  const unit = 10 ** (Math.floor(Math.log10(error)) - 1);
  const most = Number((Math.ceil(error / unit) * unit).toPrecision(2)); // two digits, rounded up
  const moved = `each weight moved by ${most} at most`;
  return `${hint} The rows did not quite sum to 1 and were made to: ${moved}.`;
}
