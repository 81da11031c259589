// Translator: type English, watch greedy search or beams write Italian, and see where each word looks.
//
// Here are the state, the controls, and who tells whom. source.js knows where searches come from,
// lines.js what stands after a step; map.js and texts.js draw.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as prompts from "../kit/prompt.js";
import * as steps from "../kit/steps.js";
import * as scales from "../kit/scales.js";
import * as numbering from "../kit/numbering.js";
import * as vocabulary from "../formulas/vocabulary.js";
import * as sources from "./source.js";
import * as lines from "./lines.js";
import * as maps from "./map.js";
import * as weighed from "./texts.js";
import * as swapping from "./swaps.js";
import * as words from "./words.js";
const { h } = kit;

const PROMPT = ["Type a sentence, or press Play.", "See which word each Italian word looks at."];
const SWAP = ["Press a word, to take its vector from another sentence.", "See what changes."];
const LIMIT = 200; // characters of a sentence; the same as MAX_CHARACTERS in Python
const MOST_READ = 24; // words of it; the same as MAX_WORDS
const MOST_WRITTEN = 20; // words of a translation; the same as MAX_WRITTEN
const MOST_BEAMS = 4;
const PACE = 900; // milliseconds that a word stays while it plays
const LAST = 4; // words of a text in the list
const MOST_KEPT = MOST_BEAMS * MOST_WRITTEN; // texts of a step, with all that ended before
const ROWS = 8; // of the map before anything is written
const { unk, eos } = vocabulary.ids;

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const { n_layers: layers, n_heads: heads, examples, donor } = data;
  const vocab = vocabulary.makeVocabulary(data.words);
  const theirs = vocab.encode(donor);
  const source = sources.makeSource({ model, donor: theirs, most: MOST_WRITTEN, onNews: () => traits.redraw() });
  const split = (text) => vocabulary.split(text.toLowerCase());
  const complaint = (text) => words.complaint(text, split(text).length, MOST_READ);
  const traits = kit.mount({
    model,
    traits: ["text", "num_beams", "layer", "head", "step", "rank", "row", "column", "patched"],
    draw,
    checks: {
      num_beams: kit.within(1, MOST_BEAMS),
      layer: kit.within(0, layers - 1),
      head: kit.within(0, heads - 1, { open: true }),
      step: kit.within(0, MOST_WRITTEN, { open: true }),
      rank: kit.within(0, MOST_KEPT - 1, { open: true }),
      row: kit.within(0, MOST_WRITTEN - 1, { open: true }),
      column: kit.within(0, MOST_READ - 1, { open: true }),
      patched: kit.within(0, theirs.length - 1, { open: true }),
    },
    links: { text: (text) => (text.length <= LIMIT && !complaint(text) ? text : null) },
    heed: (name) => name === "text" && (problem = ""),
  });
  const { get, set, redraw } = traits;

  let problem = ""; // with what is typed
  let pointed = null; // the cell under the mouse: [row, column]
  let shown = null; // what the page shows, for the table

  // What is asked for, and how far it is.

  const reading = () => vocab.encode(get("text").toLowerCase());
  /** The word whose vector is the donor's, or null; the two sentences have as many words. */
  const placeIn = (ids) => (ids.length === theirs.length ? get("patched") : null);
  function current() {
    const ids = reading();
    return ids.length ? source.ask(ids, get("num_beams"), placeIn(ids)) : null;
  }
  const written = (search) => (search ? lines.length(search) : MOST_WRITTEN);
  const stepOf = (search) => Math.min(get("step") ?? MOST_WRITTEN, written(search));
  function atEnd() {
    const search = current();
    return search !== null && search.done && stepOf(search) >= written(search);
  }

  // What a reader does.

  /** Other searches begin at their end, and their last word is the one that is looked at. */
  function ask(changes) {
    pointed = null;
    set({ ...changes, step: null, rank: null, row: null, column: null });
  }
  const go = (step) => set({ step, rank: null, row: null, column: null });
  /** Show a text that does not lead, until the next step. */
  function choose(node) {
    const rank = shown.kept.indexOf(node);
    set({ rank: rank > 0 ? rank : null, row: null, column: null });
  }
  function goOn() {
    const search = current();
    const step = stepOf(search);
    if (search && step < written(search)) go(step + 1);
  }
  function type(text) {
    problem = complaint(text);
    if (!problem) ask({ text, patched: null });
    redraw();
  }
  function another() {
    problem = "";
    ask({ text: examples[(examples.indexOf(get("text")) + 1) % examples.length] });
    redraw();
  }
  function point(cell) {
    if (String(cell) === String(pointed)) return;
    pointed = cell;
    redraw();
  }

  // What is on the screen.

  const walk = steps.controls({
    atStart: () => stepOf(current()) <= 0,
    atEnd,
    goBack: () => go(Math.max(0, stepOf(current()) - 1)),
    goOn,
    startOver: () => go(0),
    pace: PACE,
  });
  const { halting } = walk;
  const box = boxes.textBox({ label: "English", rows: 1, limit: LIMIT, onInput: halting(type) });
  const other = kit.button({ label: "Another sentence", onPress: halting(another) });
  const swaps = swapping.swaps(donor, split(donor), halting((patched) => ask({ patched })));
  const again = kit.button({ label: "Try again", onPress: () => source.retry() });
  const slider = (options) => kit.slider({ label: "", ...options });
  const searchWith = halting((num_beams) => ask({ num_beams }));
  const beams = slider({ min: 1, max: MOST_BEAMS, onInput: searchWith });
  const layer = slider({ max: layers - 1, onInput: halting((each) => set({ layer: each })) });
  const average = 0; // the head's slider begins with the mean of all
  const headAt = (value) => (value === average ? null : value - 1);
  const head = slider({ max: heads, onInput: halting((value) => set({ head: headAt(value) })) });
  const place = slider({ max: MOST_WRITTEN, onInput: halting(go) });
  const live = kit.liveRegion();
  const map = maps.alignment({
    onPoint: point,
    onKeep: halting(([row, column]) => {
      pointed = null;
      set({ row, column });
    }),
  });
  const texts = weighed.texts({ onChoose: halting(choose) });
  const both = h("div", { class: "tl-both" }, map.el, texts.el);
  const sliders = h("div", { class: "tl-sliders" }, [beams, layer, head, place].map((each) => each.el));
  live.el.classList.add("tl-told");
  const table = kit.tableToggle(() => (shown ? tables(shown) : []));
  const root = kit.card(
    el,
    "Translate English to Italian",
    prompts.prompt(...(donor ? SWAP : PROMPT)),
    h("div", { class: "tl-top" }, box.el, other.el),
    swaps.el,
    sliders,
    live.el,
    both,
    h("div", { class: "pf-row tl-foot" }, walk.back, walk.play, walk.next, again.el, table.button),
    table.box,
  );
  root.classList.toggle("tl-donor", donor !== "");
  const ground = scales.ground(root, redraw);
  layer.el.hidden = layers === 1;

  const quoted = (node) => (node.token === eos ? "the end" : `“${vocab.nameOf(node.token)}”`);
  const tokensOf = (line) => line.map(({ token }) => token);
  /** The last words of a text, and a mark where it has ended. */
  function textOf(search, node) {
    const tokens = tokensOf(lines.path(search.nodes, node));
    const end = tokens.at(-1) === eos ? " ■" : "";
    const kept = tokens.slice(-LAST - (end ? 1 : 0));
    return `${kept.length < tokens.length ? "… " : ""}${vocab.decode(kept)}${end}`;
  }

  /** The words of the source, each with its weight at a word that was written, and the largest. */
  function lookAt({ search, line, read, heads: H }, t) {
    const at = { layer: get("layer"), head: get("head"), heads: H, S: read.length };
    const shares = read.map((_, s) => lines.weight(search, line, at, t, s));
    return { shares, most: shares.indexOf(Math.max(...shares)) };
  }

  function drawControls(now) {
    const say = (control, label, text, value, max) =>
      control.set({ value, max, text, label: `${label}: ${text}` });
    const k = get("num_beams");
    say(beams, "Beams", k === 1 ? "1, greedy" : String(k), k);
    say(layer, "Layer", String(numbering.ordinal(get("layer"))), get("layer"));
    const at = get("head");
    say(head, "Head", at === null ? "all, averaged" : String(numbering.ordinal(at)), at === null ? average : at + 1);
    const { search, step } = now;
    const total = written(search);
    const known = search?.done;
    const far = stepOf(search);
    say(place, "Step", known ? `${step} of ${total}` : String(far), far, known ? total : MOST_WRITTEN);
    walk.draw();
    again.el.hidden = source.status().state !== "failed";
    if (!problem && box.input.value !== get("text")) box.input.value = get("text");
  }

  function draw() {
    const ids = reading();
    const place = placeIn(ids);
    const read = split(get("text")).map((word, i) => ({
      text: i === place ? `⇄ ${word}` : word,
      known: ids[i] !== unk,
    }));
    const search = current();
    const step = search ? stepOf(search) : 0;
    const kept = search ? lines.standing(search, step) : [];
    const [best, chosen] = [kept[0], kept[get("rank") ?? 0] ?? kept[0]];
    const line = chosen ? lines.path(search.nodes, chosen) : [];
    const now = { search, step, kept, line, read, heads };
    shown = now;
    const waits = read.length > 0 && !search?.done && source.status().state !== "failed";
    root.classList.toggle("tl-waits", waits);
    both.setAttribute("aria-busy", String(waits));
    both.hidden = read.length === 0;
    drawControls(now);
    swaps.draw(place, donor && ids.length === theirs.length);
    const facts = read.length ? drawMap(now) : "";
    texts.draw({
      title: step ? `Texts after step ${step}, and their probability` : "No word is written yet",
      rows: search ? weighed.shown(lines.candidates(search, step)) : [],
      best,
      chosen,
      over: Boolean(search?.done) && step >= written(search),
      textOf: (node) => textOf(search, node),
    });
    const status = source.status();
    const unknown = new Set(read.filter((each) => !each.known).map(({ text }) => text));
    const text = { english: get("text").trim(), italian: vocab.decode(tokensOf(line)) };
    const beams = get("num_beams");
    const standing = { ...text, step, total: written(search), done: search?.done, beams };
    const rank = kept.indexOf(chosen);
    let told = words.waiting(text.english, beams, status);
    if (search) told = (rank > 0 ? words.other(standing, rank, Math.exp(chosen.score)) : words.stand(standing)) + facts;
    if (place !== null) told += ` “${read[place].text}” has its vector from “${donor}”.`;
    const whole = told + words.strangers([...unknown]) + words.arrival(status);
    live.say(problem || (read.length ? whole : "Type an English sentence."));
    root.dataset.written = tokensOf(line).join(" ");
    table.update();
  }

  /** The map, and what is said of the word that is chosen. */
  function drawMap(now) {
    const { search, line, read } = now;
    const last = Math.max(0, line.length - 1);
    const word = line[last]?.token === eos ? Math.max(0, last - 1) : last; // the last that is a word
    const row = Math.min(pointed?.[0] ?? get("row") ?? word, last);
    const looks = line.map((_, t) => lookAt(now, t));
    const wanted = pointed?.[1] ?? get("column") ?? looks[row]?.most ?? 0;
    const column = Math.min(wanted, read.length - 1);
    const said = line.length ? ` ${words.attended(looked(now, looks[row], row, column))}` : "";
    map.draw({
      written: line.map(({ token }) => ({ text: vocab.nameOf(token), known: true })),
      read,
      height: search ? written(search) : ROWS,
      weight: (t, s) => looks[t].shares[s],
      row,
      column,
      dark: ground.dark(),
      text: said.trim() || "No word is written yet.",
      key: [get("text"), get("num_beams"), get("layer"), get("head"), get("patched"), line.at(-1)?.place],
    });
    return said;
  }

  /** What words.js says of a cell. */
  function looked({ line, read }, { shares, most }, row, column) {
    const part = (s) => ({ text: `“${read[s].text}”`, share: shares[s] });
    const chosen = column === most ? null : part(column);
    return { word: quoted(line[row]), most: part(most), chosen, layer: get("layer"), head: get("head") };
  }

  function tables(now) {
    const { search, step, kept: [best], line, read } = now;
    if (!search) return [];
    const fourth = (share) => kit.format(share, 4);
    const rows = line.map((node, t) => [vocab.nameOf(node.token), ...lookAt(now, t).shares.map(fourth)]);
    const alignment = {
      caption: `Where each word looked: ${numbering.layerName(get("layer"))}, ${words.headName(get("head"))}`,
      columns: ["Written", ...read.map(({ text, known }) => `#${text}${known ? "" : " (unknown)"}`)],
      rows,
    };
    const list = {
      caption: `Texts after step ${step}`,
      columns: ["Text", "Status", "#Probability"],
      rows: lines.candidates(search, step).map((node) => [
        vocab.decode(tokensOf(lines.path(search.nodes, node))),
        weighed.stateOf(node, best, search.done && step >= written(search)),
        kit.format(Math.exp(node.score), 6),
      ]),
    };
    return [alignment, list];
  }

  return traits.start(walk, live, table, ground, source);
}

export default { render };
