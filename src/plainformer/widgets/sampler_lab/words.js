// What SamplerLab says: one sentence for what changed last, and the tables.

import * as kit from "../kit/kit.js";
import * as math from "./math.js";
import * as stages from "./stages.js";
import * as tokens from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
const { sixth } = tokens;
const { many } = kit;
const { share } = written;

/** The likeliest token at the end, and its probability. */
function outcome({ names, rows }) {
  const { shares } = rows.at(-1);
  const best = shares.indexOf(Math.max(...shares));
  return `“${names[best]}” ends at ${share(shares[best])}`;
}

function ofStage(now, stage) {
  const row = now.rows.find((each) => each.stage === stage);
  const name = stages.NAMES[stage];
  const what = row.on
    ? `${stages.settings(stage, now)}, ${stages.did(row).replace(" · ", ", ")}`
    : `off, ${kit.format(row.left)} left`;
  return `${name}: ${what} of ${many(now.logits.length, "token")}. ${outcome(now)}.`;
}

/** How near the draws are to the bars. */
function near({ tally, names, tokens: drawn }) {
  const gap = tally.gap
    ? `the largest gap to the bars is ${share(tally.gap)}, at “${names[tally.at]}”`
    : "no gap to the bars";
  return `${many(drawn.length, "draw")}: ${gap}`;
}

function ofDraws(now, before) {
  const { tokens: drawn, numbers, names } = now;
  if (!drawn.length) return "No draws yet.";
  if (drawn.length !== before.tokens.length + 1) return `${near(now)}.`;
  const last = `u = ${numbers.at(-1).toFixed(2)} falls on “${names[drawn.at(-1)]}”`;
  return `Draw ${kit.format(drawn.length)}: ${last}. ${near(now)}.`;
}

/** A sentence on what is different from before, which is undefined at first. */
export function sentence(now, before) {
  const left = many(now.rows.at(-1).left, "token");
  if (!before) return `${left} can be drawn, and ${outcome(now)}.`;
  if (now.seed !== before.seed) {
    const again = now.tokens.length ? ` ${near(now)}.` : "";
    return `Seed ${now.seed}: other random numbers.${again}`;
  }
  if (now.drawn !== before.drawn) return ofDraws(now, before);
  if (now.order.join() !== before.order.join()) {
    const order = now.order.map((stage) => stages.NAMES[stage].toLowerCase()).join(", ");
    return `New order: ${order}. ${left} can be drawn, and ${outcome(now)}.`;
  }
  const [changed, ...more] = now.order.filter((stage) =>
    Object.keys(math.SETTINGS[stage]).some((name) => now[name] !== before[name]),
  );
  return changed && !more.length ? ofStage(now, changed) : `${left} can be drawn, and ${outcome(now)}.`;
}

/** 1, 2, 5, 10, 20, 50, … up to n, and n. */
function milestones(n) {
  const found = [];
  for (let ten = 1; ten <= n; ten *= 10) found.push(ten, 2 * ten, 5 * ten);
  return [...found.filter((each) => each < n), n];
}

export function tables(now) {
  const { names, shown, rows, tally, tokens: drawn, logits, counts } = now;
  const columns = rows.slice(1).map(({ stage }) => `#${stages.NAMES[stage]}`);
  const rest = logits.length - shown.length;
  const sum = (all) => tokens.restOf(Array.from(all), shown);
  const lines = shown.map((i) => [
    names[i],
    counts[i],
    sixth(logits[i]),
    ...rows.map(({ shares }) => sixth(shares[i])),
    tally.counts[i],
  ]);
  if (rest) {
    const sums = rows.map(({ shares }) => sixth(sum(shares)));
    lines.push([tokens.others(rest), sum(counts), "", ...sums, sum(tally.counts)]);
  }
  const found = [
    {
      caption: "The probability of every token at first, and after each stage",
      columns: ["Token", "#Occurred", "#Logit", "#At first", ...columns, "#Drawn"],
      rows: lines,
    },
    {
      caption: "What each stage did",
      columns: ["Stage", "Set to", "#Removed", "#Moved", "#Tokens left"],
      rows: rows.slice(1).map(({ stage, removed, moved, left }) => [
        stages.NAMES[stage],
        stages.settings(stage, now),
        sixth(removed),
        sixth(moved),
        left,
      ]),
    },
  ];
  if (!drawn.length) return found;
  const { shares } = rows.at(-1);
  const gaps = milestones(drawn.length).map((n) => {
    const then = math.tally(drawn.slice(0, n), shares);
    return [kit.format(n), sixth(then.gap), then.gap ? names[then.at] : ""];
  });
  return [
    ...found,
    {
      caption: "How near the draws come to the bars",
      columns: ["#Draws", "#Largest gap", "At"],
      rows: gaps,
    },
  ];
}
