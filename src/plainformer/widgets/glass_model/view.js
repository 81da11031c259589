// GlassModel: a language model that runs in the page, as a drawing that zooms down to one number.
//
// Here are the state, the controls, and who tells whom. source.js knows where steps come from; a
// level of the drawing is a file of its own: overview, layer, head, number.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as scales from "../kit/scales.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
import * as bpe from "../formulas/bpe.js";
import * as philox from "../formulas/philox.js";
import * as sampling from "../formulas/sampling.js";
import * as sources from "./source.js";
import * as stages from "./stage.js";
import * as places from "./selection.js";
import * as overviews from "./overview.js";
import * as layers from "./layer.js";
import * as heads from "./head.js";
import * as numbers from "./number.js";
import * as strongest from "./strongest.js";
import * as comparing from "./compare.js";
import * as experimenting from "./experiments.js";
import * as saving from "./save.js";
import * as words from "./words.js";
const { h } = kit;

const PROMPT = ["Press a token, a map or a bar.", "See what the last token looks at."];
const LIMIT = 1000; // characters of a prompt; the same as MAX_PROMPT in Python
const MOST = 200; // tokens that are written; the same as MAX_OUTPUT
const PACE = 700; // milliseconds that a token stays while it plays
const COLD = -20; // the temperature's slider: 10^(place / 20), from 0.1 to 10
const MAKERS = {
  model: overviews.overview,
  layer: layers.layer,
  head: heads.head,
  number: numbers.number,
  compare: comparing.compare,
};

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const { config, room, special } = data;
  const tokenizer = bpe.makeTokenizer(data.tokenizer);
  const source = sources.makeSource({ model, onNews: () => traits.redraw() });
  const ages = [...data.checkpoints.map((each) => each.step), null]; // null: at the end
  const isToken = (id) => Number.isInteger(id) && id >= 0 && id < config.vocab_size;
  const isPart = (each) => typeof each === "string" && /^(0|[1-9]\d?)(\.(0|[1-9]\d?))?$/.test(each) && places.read(`layers.${each.replace(".", ".heads.")}`, config, 1);
  const isPlace = ([layer, token]) => Number.isInteger(layer) && layer >= 0 && layer < config.n_layers && isRead(token);
  const isRead = (t) => Number.isInteger(t) && t >= 0 && t < room;
  const isText = (text) => (text.length <= LIMIT && !tokenizer.missing(text) ? text : null);
  const sorted = (list) => list.every((each, i) => i === 0 || list[i - 1] < each);
  const traits = kit.mount({
    model,
    traits: ["prompt", "other", "output", "off", "hidden", "positions", "patched", "temperature", "seed", "place", "checkpoint", "selected"],
    draw,
    checks: { temperature: kit.within(0.1, 10, { real: true }), seed: kit.within(0, 999) },
    links: {
      prompt: isText,
      other: isText,
      output: (ids) => ids.length <= MOST && ids.every(isToken) && ids,
      off: (list) => list.every(isPart) && sorted(list) && list,
      hidden: (list) => list.every(isRead) && sorted(list) && list,
      patched: (list) => (list.length === 0 || (list.length === 2 && isPlace(list))) && list,
      place: kit.within(0, room - 1, { open: true }),
      checkpoint: kit.oneOf(ages),
      selected: (text) => (places.read(text, config, room) ? text : null),
    },
    heed: (name) => (name === "prompt" || name === "other") && (problem = ""),
  });
  const { get, set, redraw } = traits;

  const known = new Map(); // id -> how it reads
  function word(id) {
    if (!known.has(id)) {
      const name = special[id] ?? tokenizer.nameOf(id);
      known.set(id, name === undefined ? `#${id}` : written.label(bpe.reading(name, tokenizer.byteLevel, "characters").text.replaceAll("·", " ")));
    }
    return known.get(id);
  }

  let problem = ""; // with what is typed
  const cut = new Map(); // text -> its tokens, of the last two
  let level = null; // the drawing: { key, ... }
  let whole = null; // that of the model, which serves all texts
  let asks = 0; // tokens to be written as soon as the next one is known
  let column = null; // of the map of a head; null: where the row looks most
  const trail = []; // places that a reader came by
  const cursors = new Map(); // place -> what the keys stood on
  const cell = [0, null]; // of the map of two texts: layer and token; null: the last

  function tokensOf(text) {
    if (!cut.has(text)) {
      cut.set(text, tokenizer.encode(text));
      if (cut.size > 2) cut.delete(cut.keys().next().value);
    }
    return cut.get(text);
  }
  /** The tokens that are read, and how many before them have no room. */
  function reading() {
    const all = [...tokensOf(get("prompt")), ...get("output")];
    const ids = all.length ? all : data.begin;
    return { ids: ids.slice(-room), left: Math.max(0, ids.length - room) };
  }
  /** Characters that have no token: the model reads each of their bytes as one. */
  function strangers() {
    const bytes = (each) => tokenizer.encode(each).length - tokenizer.encode("").length;
    return [...new Set(get("prompt"))].filter((each) => each > "\x7f" && bytes(each) > 1);
  }
  /** Those of the second text. */
  function others() {
    const ids = tokensOf(get("other"));
    return (ids.length ? ids : data.begin).slice(-room);
  }

  // What a reader does.

  function go(to, at = null) {
    halt();
    trail.push(get("selected"));
    column = at;
    set({ selected: to });
  }
  function up() {
    const at = places.read(get("selected"), config, room) ?? { level: "model" };
    const back = trail.length ? trail.pop() : (places.above(at).at(-1)?.to ?? "");
    set({ selected: back });
  }
  function jump(to) {
    halt();
    trail.length = 0;
    set({ selected: to });
  }
  const choose = (place) => act({ place });
  function type(name, value) {
    halt();
    const missing = tokenizer.missing(value);
    problem = missing === undefined ? "" : `The tokenizer has no token for “${missing}”. What is drawn is the text before it was typed.`;
    if (!problem && name === "other") set({ other: value, patched: [] });
    else if (!problem) set({ prompt: value, output: [], place: null, hidden: [], patched: [] });
    redraw();
  }
  function twoTexts() {
    if (get("selected") === "compare") return jump("");
    go("compare");
    if (!get("other")) set({ other: get("prompt") });
  }
  /** Whatever a reader does ends what plays. */
  function act(changes) {
    halt();
    set(changes);
  }
  function halt() {
    asks = 0;
    player.stop();
  }

  /** Draw the next token from the bars and write it, once the model has said what they are. */
  function writeOn() {
    const { ids } = reading();
    const found = source.ask(ids, tried.of(ids, others()), "shares");
    if (!found?.summary.shares) return (asks = 1);
    asks = 0;
    const shares = found.summary.shares(ids.length - 1, get("temperature"));
    const output = get("output");
    const id = sampling.draw(shares, philox.randomAt(get("seed"), output.length));
    set({ output: [...output, id], place: null });
  }
  const full = () => get("output").length >= MOST;

  // What is on the screen.

  const box = boxes.textBox({ label: "Type any text", rows: 1, limit: LIMIT, onInput: (value) => type("prompt", value) });
  const second = boxes.textBox({ label: "The second text", rows: 1, limit: LIMIT, onInput: (value) => type("other", value) });
  const player = kit.player({
    tick() {
      if (!full() && asks === 0) writeOn();
      return !full();
    },
    every: () => PACE,
    onChange: (on) => play.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Play" }),
  });
  const one = kit.button({ label: "Write on", when: () => !full() && !problem, onPress: writeOn });
  const play = kit.button({ label: "Play", icon: "play", when: () => !full() && !problem, onPress: player.toggle });
  const heat = kit.slider({
    label: "",
    min: COLD,
    max: -COLD,
    onInput: (at) => act({ temperature: Number((10 ** (at / 20)).toPrecision(2)) }),
  });
  const token = kit.slider({ label: "", onInput: choose });
  const age = kit.slider({ label: "", max: ages.length - 1, onInput: (i) => act({ checkpoint: ages[i] }) });
  age.el.classList.add("gm-age");
  age.el.hidden = ages.length === 1;
  const live = kit.liveRegion();
  const crumbs = h("div", { class: "gm-crumbs", role: "group", "aria-label": "Where you are" });
  const stage = h("div", { class: "gm-stage" });
  const drawing = stages.surface({
    label: "The model: arrow keys move, Enter goes in, Escape goes out",
    onMove: (at) => cursors.set(get("selected"), at),
  });
  stage.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || get("selected") === "") return;
    event.stopPropagation();
    up();
  });
  const tried = experimenting.experiments({ config, get, act, redraw });
  const two = kit.button({ label: "Compare two texts", onPress: twoTexts });
  const over = kit.button({
    label: "Start over",
    onPress() {
      halt();
      trail.length = 0;
      const seed = (get("seed") + 1) % 1000; // the same text again would be no other start
      set({ off: [], hidden: [], positions: true, patched: [], temperature: 1, output: [], place: null, checkpoint: null, selected: "", seed });
    },
  });
  const again = kit.button({ label: "Try again", onPress: () => source.retry() });
  const link = h("p", { class: "gm-chapter" });
  const peaks = strongest.strongest({ given: data.strongest, decode: tokenizer.decode, figure: numbers.figure, redraw });
  const bar = h("div", { class: "pf-row gm-foot" });
  const table = kit.tableToggle(() => level?.tables() ?? []);
  const named = () => `${data.name}-${get("selected") || "model"}`;
  const saver = saving.saver({
    card: () => root,
    parts: () => [crumbs, stage, live.el].filter((each) => each.offsetHeight),
    tables: () => level?.tables() ?? [],
    name: named,
  });
  const save = folds.fold("Save", saver);
  bar.append(tried.el, save, two.el, over.el, again.el, table.button);
  const root = kit.card(
    el,
    `A model of glass: ${data.name}`,
    prompts.prompt(...PROMPT),
    h("div", { class: "gm-top" }, box.el, h("div", { class: "pf-row gm-write" }, one.el, play.el), heat.el, token.el),
    age.el,
    second.el,
    live.el,
    crumbs,
    stage,
    peaks.el,
    link,
    bar,
    table.box,
  );
  const ground = scales.ground(root, redraw);
  let now = { place: 0 };
  let shown = get("selected"); // what is drawn

  /** The level that is asked for, made anew where it is another one, or of other tokens. */
  function follow(at, ids, tokens) {
    const isTwo = at.level === "compare";
    const key = JSON.stringify([get("selected"), ids, isTwo && now.second.ids]);
    if (level?.key === key) return;
    const focused = stage.contains(document.activeElement);
    const isWhole = at.level === "model";
    level = isWhole && whole ? whole : MAKERS[at.level]({
      ...{ config, T: ids.length, tokens, go, choose, at, layer: at.layer, head: at.head, column, cell, redraw },
      second: now.second,
      onColumn: (c) => ((column = c), redraw()),
      onPatch: (place) => act({ patched: String(get("patched")) === String(place) ? [] : place }),
    });
    if (isWhole && level.key !== key) level.read(tokens);
    level.key = key;
    if (isWhole) whole = level;
    if (!level.el.isConnected) {
      stage.replaceChildren(level.own ? level.el : drawing.el);
      if (!level.own) drawing.el.replaceChildren(level.el);
    }
    if (focused) (level.own ?? drawing.el).focus({ preventScroll: true });
    drawCrumbs(at);
  }

  const step = (i, el) => h("span", { class: "gm-crumb" }, i > 0 ? h("span", { "aria-hidden": "true" }, "›") : null, el);
  function drawCrumbs(at) {
    const name = { layer: numbering.layerTitle(at.layer), head: numbering.headTitle(at.head), number: "Number", compare: "Two texts" }[at.level];
    crumbs.replaceChildren(
      ...places.above(at).map(({ to, text: title }, i) => step(i, kit.button({ label: title, onPress: () => jump(to) }).el)),
      ...(name ? [step(1, h("span", { "aria-current": "page" }, name))] : []),
    );
    crumbs.hidden = !name;
  }

  function drawControls(ids, tokens, found) {
    const t = get("temperature");
    const degrees = String(Number(t.toPrecision(2)));
    heat.set({ value: Math.round(20 * Math.log10(t)), text: degrees, label: `Temperature: ${degrees}` });
    const seen = `${numbering.ordinal(now.place)}: “${tokens[now.place]}”`; // what may be cut comes last
    if (found) token.set({ value: now.place, max: ids.length - 1, text: seen, label: `Token ${seen}` }); // with the drawing
    token.el.hidden = ids.length === 1;
    tried.set(now.place, tokens[now.place]);
    if (ages.length > 1) {
      const [steps, all] = [get("checkpoint") ?? data.trained, data.trained].map((n) => n.toLocaleString("en"));
      const trained = `${steps} of ${all} steps`;
      age.set({ value: ages.indexOf(get("checkpoint")), text: trained, label: `Training: ${trained}` });
    }
    const isTwo = get("selected") === "compare";
    two.set({ label: isTwo ? "Back to one text" : "Compare two texts" });
    second.el.hidden = !isTwo;
    again.el.hidden = source.status().state !== "failed";
    one.set();
    play.set();
    if (problem) return;
    const written = tokenizer.decode(get("output").filter((id) => !(id in special)));
    if (box.show(get("prompt") + written) && written) box.input.scrollTop = box.input.scrollHeight;
    second.show(get("other"));
  }

  function draw() {
    source.use(get("checkpoint"));
    if (asks) writeOn();
    const { ids, left } = reading();
    const tokens = ids.map(word);
    const at = places.read(get("selected"), config, ids.length) ?? { level: "model" };
    const place = Math.min(get("place") ?? ids.length - 1, ids.length - 1);
    const isTwo = at.level === "compare";
    const options = tried.of(ids, others());
    const temperature = get("temperature");
    const need = at.level !== "model" ? "steps" : temperature !== 1 ? "shares" : "summary";
    const found = source.ask(ids, options, need);
    now = { ...now, steps: null, patch: null, ...found, place, ids, word, temperature, tensor: source.tensor, dark: ground.dark(), ...options };
    now.cache = get("output").length && found?.fresh ? { fresh: found.fresh, left } : null;
    if (isTwo) {
      const [their, plain] = [others(), { off: options.off, hidden: [], positions: options.positions }];
      now.second = { ids: their, tokens: their.map(word), steps: null, ...source.ask(their, plain, "steps") };
    }
    const said = words.changes(options, tokens);
    const plain = said ? source.ask(ids) : null;
    if (found) {
      follow(at, ids, tokens);
      level.draw(now);
      if (level.items) drawing.put(level.items, cursors.get(get("selected")) ?? level.first());
    }
    const failed = source.status().state === "failed";
    const waits = !failed && !(asks === 0 && found && sources.has(found, need) && (!isTwo || now.second.steps));
    root.classList.toggle("gm-waits", waits);
    stage.setAttribute("aria-busy", String(waits || Boolean(!failed && said && !plain)));
    drawControls(ids, tokens, found);
    if (found && shown !== get("selected")) {
      shown = get("selected");
      // Another level has another height: a card that fills the screen is scaled to it.
      if (document.fullscreenElement === root) root.dispatchEvent(new Event("fullscreenchange"));
    }
    const made = level?.made?.();
    drawLink(made);
    peaks.draw(at, get("checkpoint"));
    const next = (each) => each && each.summary.next(place, temperature);
    const facts = { isTwo, tokens, place, temperature, list: next(found), plain: next(plain), word, experiments: said, left, full: get("prompt").length === LIMIT, step: get("checkpoint") };
    const inside = at.level !== "model" && found ? words.opened(at, { tokens, place, made, second: now.second, temperature, word }) : "";
    const outcome = words.outcome(facts);
    const both = isTwo ? `${outcome} ${inside}` : `${inside} ${outcome}`;
    const sentence = inside && !said && !isTwo ? inside : both.trim();
    live.say((problem || sentence + words.strange(strangers()) + tried.says()) + words.arrival(source.status()));
    table.update();
  }

  /** What computes the number that is open, and where the course explains it. */
  function drawLink(made) {
    link.hidden = !made;
    if (!made) return;
    const chapter = h("a", { href: `${data.chapters}/${made.chapter}.html` }, "The chapter that explains it");
    const by = numbers.code(made.by);
    link.replaceChildren("Computed by ", by, ". ", ...(data.chapters === null ? [] : [chapter, "."]));
  }

  return traits.start({ stop: halt }, live, table, ground, source);
}

export default { render };
