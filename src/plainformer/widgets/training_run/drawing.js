// What TrainingRun draws: the losses with the learning rate below them.

import * as kit from "../kit/kit.js";
import * as axes from "../kit/axes.js";
const { h } = kit;

const [WIDE, HIGH] = [1000, 300]; // of the drawings' own units

const line = (name) => h("path", { class: `tr-line tr-${name}` });
const drawing = (...children) =>
  h("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" }, children);

/** A name with a piece of its line, and what it is at the moment: { el, set(text) }. */
function key(kind, name) {
  const path = h("path", { class: `tr-line tr-${kind}`, d: "M1 5H31" });
  const sample = h("svg", { class: "tr-piece", viewBox: "0 0 32 10", "aria-hidden": "true" }, path);
  const value = h("b");
  const el = h("li", {}, sample, h("span", {}, name), value);
  function set(number) {
    el.hidden = number === null;
    value.textContent = number ?? "";
  }
  return { el, set };
}

/** Whole numbers from low to high, few of them. */
function ticks(low, high, share) {
  const step = [1, 2, 5, 10, 20, 50].find((each) => (high - low) / each <= 5) ?? 100;
  const found = [];
  for (let at = low; at <= high; at += step) found.push({ at: share(at), text: String(at) });
  return found;
}

/** The curves of a run: { el, draw({ data, step, seen }) }. */
export function curves() {
  const [train, heldOut, rate] = ["train", "held", "rate"].map(line);
  const dots = h("path", { class: "tr-dots" });
  const rug = h("path", { class: "tr-rug" });
  const posts = [h("path", { class: "tr-post" }), h("path", { class: "tr-post" })];
  const spot = h("path", { class: "tr-spot" });
  const losses = axes.frame({
    content: drawing(posts[0], train, heldOut, dots, spot),
    className: "tr-losses",
    near: 0.1,
  });
  const rates = axes.frame({ content: drawing(posts[1], rug, rate), className: "tr-rates" });
  const keys = {
    loss: key("train", "training"),
    heldOut: key("held", "held out"),
    rate: key("rate", "learning rate"),
  };
  const names = h("ul", { class: "tr-keys", "aria-hidden": "true" }, Object.values(keys).map((each) => each.el));
  let shown; // the data whose curves are drawn

  const place = { x: () => 0, y: () => 0 };
  const path = (pairs, y) =>
    pairs.map(([at, value], i) => `${i ? "L" : "M"}${place.x(at)} ${y(value)}`).join("");

  /** The curves, drawn anew only when there are others. */
  function fresh(data) {
    shown = data;
    const { steps, loss, learning_rate: all, held_out: pairs, snapshots } = data;
    const end = Math.max(1, ...steps, ...pairs.map(([at]) => at), ...snapshots.map(({ step }) => step));
    const values = [...loss, ...pairs.map(([, value]) => value)];
    const low = values.length ? Math.floor(Math.min(...values)) : 0;
    const high = Math.max(low + 1, Math.ceil(Math.max(0, ...values)));
    const share = (value) => (high - value) / (high - low);
    place.end = end;
    place.x = (at) => ((at / end) * WIDE).toFixed(1);
    place.y = (value) => (share(value) * HIGH).toFixed(1);
    place.share = share;
    place.ticks = ticks(low, high, share);
    const zip = (column) => steps.map((at, i) => [at, column[i]]);
    train.setAttribute("d", path(zip(loss), place.y));
    heldOut.setAttribute("d", path(pairs, place.y));
    dots.setAttribute("d", pairs.map(([at, value]) => kit.dot(place.x(at), place.y(value))).join(""));
    const most = Math.max(...all, 1e-12);
    rate.setAttribute("d", path(zip(all), (value) => ((1 - value / most) * 0.9 * HIGH).toFixed(1)));
    rug.setAttribute("d", snapshots.map(({ step }) => `M${place.x(step)} ${HIGH}V${0.8 * HIGH}`).join(""));
  }

  function draw({ data, step, seen }) {
    if (data !== shown) fresh(data);
    for (const post of posts) post.setAttribute("d", `M${place.x(step)} 0V${HIGH}`);
    const value = seen.heldOut ?? seen.loss;
    spot.setAttribute("d", value === null ? "" : kit.dot(place.x(step), place.y(value)));
    keys.loss.set(seen.loss === null ? null : kit.format(seen.loss, 2));
    keys.heldOut.set(seen.heldOut === null ? null : kit.format(seen.heldOut, 2));
    keys.rate.set(seen.rate === null ? null : String(Number(seen.rate.toPrecision(3))));
    losses.setY({ title: "loss, nats per token", ticks: place.ticks });
    losses.setX({ ticks: [] });
    rates.setY({ title: "", ticks: [] });
    const even = [0, 0.5, 1].map((at) => ({ at, text: kit.format(Math.round(at * place.end)) }));
    rates.setX({
      title: "updates",
      ticks: even,
      mark: { at: step / place.end, text: kit.format(step) },
    });
  }
  return { el: h("div", {}, names, losses.el, rates.el), draw };
}
