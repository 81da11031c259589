// One number: what it is called, what it is, and what it is made of, each part to be asked in turn.

import * as kit from "../kit/kit.js";
import * as numbering from "../kit/numbering.js";
import * as origin from "./origin.js";
import * as parts from "./parts.js";
import * as places from "./selection.js";
const { h } = kit;

const SHOWN = 7; // parts; the rest is one row
const MEANINGS = {
  T: "tokens", D: "numbers of the stream", H: "heads", G: "heads of keys", K: "numbers of a head",
  F: "units", V: "tokens of the vocabulary", Q: "numbers of all queries", R: "numbers of all keys",
  P: "pairs that are rotated", L: "positions", S: "parts of a text",
}; // prettier-ignore

/** A number as it is printed here: three decimals, or what is tiny. */
export function figure(value) {
  const size = Math.abs(value);
  const text = size > 0 && size < 0.0005 ? value.toExponential(0) : kit.format(value, 3);
  return text.replaceAll("-", "−");
}

/** A name in the letters of code; a line may end after one of its dots. */
export const code = (name) => h("code", {}, name.match(/[^.]+\.?/g).flatMap((part, i) => (i ? [h("wbr"), part] : [part])));

/** The number: { el, items, draw(now), tables, made() }; made() is null while it is not known. */
export function number({ config, go, at, tokens, redraw }) {
  let made = null;
  let whole = false; // whether all its parts are shown
  let first = 0; // which part the keys stand on: the one that was asked for
  const title = h("p", { class: "gm-value", title: "as in code, from 0" });
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
    const shown = factors.flatMap((each, i) => (i ? ["×", factorOf(each)] : [factorOf(each)]));
    return rowWith(shown, value, most, here);
  }

  function rowWith(shown, value, most, here = false) {
    const fill = h("i", { class: value < 0 ? "gm-minus" : "", style: `width:${most ? (100 * Math.abs(value)) / most : 0}%` });
    return h("div", { class: `gm-part${here ? " gm-here" : ""}` }, h("span", { class: "gm-factors" }, shown), h("b", { class: "gm-track" }, fill), h("span", { class: "gm-share" }, figure(value)));
  }

  /** The parts that are too small to be shown, in one row, which opens to all of them. */
  function restOf(rest, most) {
    const value = parts.total(rest);
    const text = `${kit.many(rest.length, "other")} together`;
    const part = h("span", { class: "gm-factor gm-asks" }, h("small", {}, text), h("b", {}, "show all"));
    const act = () => {
      whole = true;
      redraw();
    };
    items.push({ el: part, say: () => `${text}, ${figure(value)}; show all`, act });
    return rowWith([part], value, most);
  }

  /** Another way to look at the number. */
  function linkTo(text, to) {
    const el = h("span", { class: "gm-factor gm-asks" }, h("b", {}, text));
    items.push({ el, say: () => `${text}; ${to}`, act: () => go(to) });
    return el;
  }

  /** The place in words, counted from 1. */
  function whereOf(word) {
    const count = numbering.ordinal;
    const said = {
      T: (i) => numbering.tokenName(tokens, i),
      H: numbering.headName,
      G: (i) => `keys ${count(i)}`,
      F: (i) => `unit ${count(i)}`,
      V: (i) => `“${word(i)}”`,
      P: (i) => `pair ${count(i)}`,
    };
    const parts = [...at.letters].map((letter, i) => (said[letter] ?? ((n) => `number ${count(n)}`))(at.index[i]));
    return [at.layer === null ? [] : numbering.layerName(at.layer), ...parts].flat().join(", ").replace(/^l/, "L");
  }

  function draw({ steps, tensor, ids, positions, word, off, patch, temperature }) {
    items.length = 0;
    const lengths = places.sizesOf(config, ids.length);
    const shape = [...at.letters].map((letter) => lengths[letter]).join(", ");
    const meaning = [...new Set(at.letters)].map((letter) => `${letter} ${MEANINGS[letter]}`).join(", ");
    made = steps && origin.explain(at, { steps, tensor, config, ids, positions, word, off, patch, temperature });
    if (!made) {
      title.textContent = `${at.name}[${at.index.join(", ")}]`;
      says.textContent = "Its value comes with the weights.";
      list.replaceChildren();
      return;
    }
    title.replaceChildren(code(`${at.name}[${at.index.join(", ")}]`), ` = ${figure(made.value)}`);
    const sum = made.rows.reduce((total, each) => total + each.value, 0);
    const away = !made.shares && made.rows.length > 0 && Math.abs(sum - made.value) > 2e-3 * (1 + Math.abs(sum));
    const why = made.later ? " It belongs to a later token, so the mask hides it." : away ? (patch ? " It was taken from the second text." : " It is switched off: 0 stands in its place.") : "";
    says.textContent = `${whereOf(word)}. ${made.says[0].toUpperCase()}${made.says.slice(1)}.${why} Of the shape (${[...at.letters].join(", ")}) = (${shape}): ${meaning}.`;
    const order = made.rows.map((_, i) => i);
    if (!made.ordered) order.sort((a, b) => Math.abs(made.rows[b].value) - Math.abs(made.rows[a].value));
    const here = made.rows.findIndex((row) => row.here);
    const shown = order.slice(0, whole ? order.length : made.ordered && !made.shares ? 30 : SHOWN);
    if (here >= 0 && !shown.includes(here)) shown.push(here);
    if (order.length === shown.length + 1) shown.push(order.find((i) => !shown.includes(i)));
    const rest = made.rows.filter((_, i) => !shown.includes(i));
    const sizes = [...made.rows.map(({ value }) => value), parts.total(rest)].map(Math.abs);
    const most = Math.max(...sizes);
    const lines = shown.map((i) => rowOf(made.rows[i], most));
    if (rest.length) lines.push(restOf(rest, most));
    const also = (made.also ?? []).map(({ text, to }) => linkTo(text, to));
    list.replaceChildren(...lines, ...(also.length ? [h("p", { class: "gm-also" }, also)] : []));
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
