// One number: what it is called, what it is, and what it is made of, each part to be asked in turn.

import * as kit from "../kit/kit.js";
import * as origin from "./origin.js";
import * as places from "./selection.js";
const { h } = kit;

const SHOWN = 7; // parts; the rest is one row
const MEANINGS = {
  T: "tokens", D: "numbers of the stream", H: "heads", G: "heads of keys", K: "numbers of a head",
  F: "units", V: "tokens of the vocabulary",
}; // prettier-ignore

/** A number as it is printed here: three decimals, or what is tiny. */
export function figure(value) {
  const size = Math.abs(value);
  const text = size > 0 && size < 0.0005 ? value.toExponential(0) : kit.format(value, 3);
  return text.replaceAll("-", "−");
}

/** The number: { el, items, draw(now), tables, sentence }. */
export function number({ config, go, at, tokens }) {
  let made = null;
  let first = 0; // which part the keys stand on: the one that was asked for
  const title = h("p", { class: "gm-value" });
  const says = h("p", { class: "gm-how" });
  const list = h("div", { class: "gm-parts" });
  const el = h("div", { class: "gm-number" }, title, says, list);
  const items = [];

  function factorOf({ text, value, to, token }) {
    const name = token === undefined ? text : `${text} “${tokens[token]}”`;
    const part = h("span", { class: to ? "gm-factor gm-asks" : "gm-factor" }, h("small", {}, name), h("b", {}, figure(value)));
    if (to) items.push({ el: part, say: () => `${name}, ${figure(value)}; ${to}`, act: () => go(to) });
    return part;
  }

  function rowOf({ factors, value, here }, most) {
    if (here) first = items.length;
    const parts = factors.flatMap((each, i) => (i ? ["×", factorOf(each)] : [factorOf(each)]));
    const fill = h("i", { class: value < 0 ? "gm-minus" : "", style: `width:${most ? (100 * Math.abs(value)) / most : 0}%` });
    return h("div", { class: `gm-part${here ? " gm-here" : ""}` }, h("span", { class: "gm-factors" }, parts), h("b", { class: "gm-track" }, fill), h("span", { class: "gm-share" }, figure(value)));
  }

  function draw({ steps, tensor, ids }) {
    items.length = 0;
    const sizes = places.sizesOf(config, ids.length);
    const shape = [...at.letters].map((letter) => sizes[letter]).join(", ");
    const meaning = [...new Set(at.letters)].map((letter) => `${letter} ${MEANINGS[letter]}`).join(", ");
    if (!steps) {
      made = null;
      title.textContent = `${at.name}[${at.index.join(", ")}]`;
      says.textContent = "Its value comes with the weights.";
      list.replaceChildren();
      return;
    }
    made = origin.explain(at, { steps, tensor, config, ids });
    title.replaceChildren(h("code", {}, `${at.name}[${at.index.join(", ")}]`), ` = ${figure(made.value)}`);
    const sum = made.rows.reduce((total, each) => total + each.value, 0);
    const away = !made.loose && !made.shares && made.rows.length > 0 && Math.abs(sum - made.value) > 2e-3 * (1 + Math.abs(sum));
    const why = made.later ? " It belongs to a later token, so the mask hides it." : away ? " It is switched off: 0 stands in its place." : "";
    says.textContent = `${made.says[0].toUpperCase()}${made.says.slice(1)}.${why} Of the shape (${[...at.letters].join(", ")}) = (${shape}): ${meaning}.`;
    const order = made.rows.map((_, i) => i);
    if (!made.ordered) order.sort((a, b) => Math.abs(made.rows[b].value) - Math.abs(made.rows[a].value));
    const here = made.rows.findIndex((row) => row.here);
    const shown = order.slice(0, made.ordered && !made.shares ? 30 : SHOWN);
    if (here >= 0 && !shown.includes(here)) shown.push(here);
    if (order.length === shown.length + 1) shown.push(order.find((i) => !shown.includes(i)));
    const most = Math.max(...made.rows.map((row) => Math.abs(row.value)));
    const rest = made.rows.filter((_, i) => !shown.includes(i));
    const lines = shown.map((i) => rowOf(made.rows[i], most));
    if (rest.length) {
      const text = `${kit.many(rest.length, "other")} together`;
      lines.push(rowOf({ factors: [{ text, value: rest.length }], value: rest.reduce((total, each) => total + each.value, 0) }, most));
      lines.at(-1).querySelector(".gm-factor b").remove();
    }
    list.replaceChildren(...lines);
  }

  const tables = () => [
    {
      caption: `What ${at.name}[${at.index.join(", ")}] is made of`,
      columns: ["Part", "#Adds"],
      rows: (made?.rows ?? []).map(({ factors, value }) => [factors.map(({ text, value: each }) => `${text} ${figure(each)}`).join(" × "), figure(value)]),
    },
  ];
  return { el, items, first: () => first, draw, tables, made: () => made };
}
