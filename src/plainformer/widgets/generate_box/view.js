// GenerateBox: type a prompt and continue it, token by token, with every setting of a sampler.
//
// Here are the state, the run, and who tells whom. Where logits come from, source.js
// knows; what the settings make of them, probabilities.js; the rest draws.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as prompts from "../kit/prompt.js";
import * as bpe from "../formulas/bpe.js";
import * as sampler from "./probabilities.js";
import * as sources from "./source.js";
import * as text from "./text.js";
import * as controls from "./settings.js";
import * as panels from "./panel.js";
import * as wording from "./words.js";
const { h, many } = kit;

const PROMPT = ["Press Continue.", "Every token is drawn from the bars below."];
const LIMIT = 2000; // characters of a prompt; the same as MAX_PROMPT in Python
const MOST = 2000; // tokens of a continuation; the same as MAX_OUTPUT
const MOST_A_PRESS = 200; // tokens that one press adds; the same as MAX_STEP
const A_FRAME = 2; // tokens: a few, so that one sees them come
const IN_TABLE = 20; // rows

const nextFrame = () => new Promise(requestAnimationFrame);

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const { special, eos } = data;
  const tokenizer = bpe.makeTokenizer(data.tokenizer);
  const size = data.model?.size ?? data.engine?.logits.length ?? null; // of the vocabulary, if known
  const source = sources.makeSource(model, data, () => redraw());
  const settings = controls.settingsFor(size ?? Infinity);
  const names = Object.keys(settings);

  let prompt = { text: null, ids: [] };
  let problem = ""; // with what is typed
  let failure = ""; // of a model in Python
  let places = []; // one for each token of the output: { id, seen: its outcome, once it is known }
  let chosen = null; // the place that the panel shows; null for the next
  let run = null; // what is being added: { added, wanted, single }, tokens so far, and in all
  let news = null; // what the sentence is about
  let drawn = []; // what the text shows
  const isToken = (id) => Number.isInteger(id) && id >= 0 && id < (size ?? 0);
  const traits = kit.mount({
    model,
    traits: ["prompt", "output", "max_new_tokens", ...names],
    draw,
    checks: { max_new_tokens: kit.within(1, MOST_A_PRESS) },
    links: {
      ...controls.limits(settings, size ?? 1),
      prompt: (text) => (wording.complaint(text, tokenizer) ? null : text),
      output: (ids) => ids.length <= MOST && ids.every(isToken) && ids,
    },
    heed,
  });
  const { get, set, redraw } = traits;

  const values = () => Object.fromEntries(names.map((name) => [name, get(name)]));
  const output = () => places.map(({ id }) => id);
  const before = (place) => [...prompt.ids, ...places.slice(0, place).map(({ id }) => id)];

  const known = new Map(); // id -> how it reads
  const nameOf = (id) => special[id] ?? tokenizer.nameOf(id) ?? `#${id}`;
  function reading(id) {
    if (!known.has(id)) {
      known.set(id, bpe.reading(nameOf(id), tokenizer.byteLevel, "characters").text);
    }
    return known.get(id);
  }
  const quote = (id) => `“${reading(id).replaceAll("·", " ")}”`;

  // What the state says, and what the reader does to it.

  function keep(changes) {
    set(changes);
    redraw();
  }

  /** Take over what the model has: its prompt, and its output, whoever set them. */
  function follow() {
    if (prompt.text !== get("prompt")) {
      const wanted = get("prompt");
      prompt = { text: wanted, ids: tokenizer.encode(wanted) };
      places = [];
      news = { about: "prompt" };
      if (box.input.value !== wanted) box.input.value = wanted;
    }
    const wanted = get("output");
    let same = 0;
    while (same < places.length && places[same].id === wanted[same]) same += 1;
    if (same < places.length || same < wanted.length) {
      places = [...places.slice(0, same), ...wanted.slice(same).map((id) => ({ id, seen: null }))];
    }
    if (chosen !== null && chosen >= places.length) chosen = null;
  }

  function type(value) {
    halt();
    problem = wording.complaint(value, tokenizer);
    chosen = null;
    if (problem === "") keep({ prompt: value, output: [] });
    redraw();
  }

  function change(name, value) {
    chosen = null;
    news = { about: name };
    keep({ [name]: value });
  }

  function choose(place) {
    chosen = place;
    news = { about: "place" };
    redraw();
  }

  function undo() {
    halt();
    news = { about: "undo", id: get("output").at(-1) };
    chosen = null;
    keep({ output: get("output").slice(0, -1) });
  }

  function clear() {
    halt();
    news = { about: "clear", count: get("output").length };
    chosen = null;
    keep({ output: [] });
  }

  function halt() {
    if (!run) return;
    run = null;
    model.save_changes();
  }

  /** A trait has changed: complaints are over, and what is being added may be. */
  function heed(name) {
    if (name === "prompt") problem = "";
    if (name === "prompt" || name === "output") stopIfDisturbed();
    failure = "";
  }

  /** Python may give another text while tokens are being added to the one there was. */
  function stopIfDisturbed() {
    if (!run) return;
    const same = get("output").length === places.length;
    const whole = same && places.every(({ id }, i) => id === get("output")[i]);
    const other = get("prompt") !== prompt.text;
    if (!whole || other) run = null;
    // Python has not heard of these tokens, so it has none to clear, and will not say so.
    if (whole && other) keep({ output: [] });
  }

  function stop() {
    halt();
    redraw();
  }

  /** Add so many tokens, a few in a frame; fewer when the text ends or the reader stops it. */
  async function add(count, single = false) {
    halt();
    const mine = (run = { added: 0, wanted: count, single });
    chosen = null;
    failure = "";
    words.follow();
    redraw();
    try {
      while (run === mine && mine.added < mine.wanted) {
        follow();
        if (full()) break;
        const logits = await source.ask(before(places.length));
        if (run !== mine) return;
        const seen = see(logits, places.length);
        const id = seen.next;
        places.push({ id, seen: shortened(seen, id) });
        mine.added += 1;
        news = { about: "added", count: mine.added, id, ended: id === eos };
        model.set("output", output());
        if (id === eos) break;
        if (mine.added % A_FRAME === 0) await nextFrame();
      }
    } catch (error) {
      if (run === mine) failure = error.message;
    }
    if (run !== mine) return;
    halt();
    redraw();
  }

  /** One token, or one more than is under way, however slow the model is. */
  function addOne() {
    if (run?.single) run.wanted += 1;
    else add(1, true);
  }

  // What stands at a place of the text, and what could.

  const see = (logits, place) =>
    sampler.outcome(logits, prompt.ids, output().slice(0, place), values());

  /** An outcome without its long arrays: what can be shown of a place that is past. */
  function shortened(seen, id) {
    const rows = sampler.best(seen, IN_TABLE);
    const beyond = !rows.some((row) => row.id === id);
    if (beyond) rows.push(sampler.rowOf(seen, id));
    const { left, cut, next, after } = seen;
    return { rows, beyond, left, cut, next, probability: after[id] };
  }

  /** What is known of a place; null while the model is asked. */
  function seenAt(place) {
    if (places[place]?.seen) return places[place].seen;
    const ids = before(place);
    const logits = source.known(ids);
    if (!logits) {
      if (!failure && !source.idle()) source.ask(ids).then(redraw, fail);
      return null;
    }
    const seen = see(logits, place);
    const found = shortened(seen, places[place]?.id ?? seen.next);
    if (places[place]) places[place].seen = found;
    return found;
  }

  function fail(error) {
    failure = error.message;
    redraw();
  }

  // What is on the screen.

  const box = boxes.textBox({ label: "Prompt: type any text", rows: 1, limit: LIMIT, onInput: type });
  const length = kit.slider({
    label: "",
    min: 1,
    max: MOST_A_PRESS,
    onInput: (count) => change("max_new_tokens", count),
  });
  const room = data.engine?.most ?? Infinity; // tokens that the model reads
  const full = () => places.length >= MOST || prompt.ids.length + places.length >= room;
  const empty = () => get("output").length === 0;
  const goOn = kit.button({
    label: "Continue",
    when: () => problem === "" && (!full() || run !== null),
    onPress: () => (run ? stop() : add(get("max_new_tokens"))),
  });
  const one = kit.button({
    label: "One token",
    when: () => problem === "" && !full(),
    onPress: addOne,
  });
  const back = kit.button({ label: "Undo one", when: () => !empty(), onPress: undo });
  const none = kit.button({ label: "Clear", when: () => !empty(), onPress: clear });
  const live = kit.liveRegion();
  const words = text.textOf({ onChoose: choose });
  const panel = panels.bars();
  const fold = controls.panel({ settings, onChange: change });
  const tables = kit.tableToggle(tablesNow);
  const root = kit.card(
    el,
    "Continue a text with a model",
    prompts.prompt(...PROMPT),
    box.el,
    h("div", { class: "gen-controls" }, length.el, goOn.el, one.el, back.el, none.el),
    live.el,
    words.el,
    panel.el,
    h("div", { class: "pf-row gen-foot" }, fold.el, tables.button),
    tables.box,
  );
  tables.box.classList.add("gen-tables");

  const { sentence, failed } = wording.wording({ settings, quote, waiting: source.waiting });
  const named = (row) => ({ ...row, name: reading(row.id) });

  function drawPanel(seen) {
    const place = chosen ?? places.length;
    const id = places[place]?.id;
    const { seed } = values();
    if (!seen) return panel.draw({ title: source.waiting(), rows: [], note: "" });
    const mark = id ?? seen.next;
    const rows = seen.rows.slice(0, sampler.SHOWN);
    const marked = seen.rows.find((row) => row.id === mark);
    if (marked && !rows.includes(marked)) rows.push(marked);
    const u = sampler.luck(seed, place).toFixed(4);
    const draws = `Number ${place} of seed ${seed} is ${u}: it draws ${quote(seen.next)}.`;
    const cut = seen.cut > 0 ? `; the rest, cut, had ${panels.probability(seen.cut)} together` : "";
    panel.draw({
      title: id === undefined ? "The next token" : `At the place of ${quote(id)}, token ${place + 1}`,
      rows: rows.map(named),
      mark,
      note: [
        `${many(seen.left, "token")} can be drawn${cut}.`,
        id === undefined && draws,
        "Frame: the model’s probability; bar: after the settings.",
      ]
        .filter(Boolean)
        .join(" "),
    });
  }

  /** The text again, if it is another one, or another token is chosen. */
  function drawText() {
    const now = [prompt, places, places.length, chosen];
    if (now.every((each, i) => each === drawn[i])) return;
    drawn = now;
    words.draw({
      prompt: prompt.text,
      shown: text.pieces(places.map(({ id }) => text.bytes(nameOf(id), tokenizer.byteLevel))),
      place: chosen,
      labels: (i) => `${quote(places[i].id)}, token ${i + 1}`,
    });
  }

  function tablesNow() {
    const place = chosen ?? places.length;
    const seen = seenAt(place);
    const sixth = (p) => kit.format(p, 6);
    const rows = (seen?.rows ?? []).map((row) => [
      reading(row.id), row.id, sixth(row.before), row.cut ? "cut" : sixth(row.after),
    ]); // prettier-ignore
    const added = places.map(({ id, seen: past }, i) => [
      i + 1, reading(id), id, past ? sixth(past.probability) : "not known",
    ]); // prettier-ignore
    const columns = ["Token", "#Id", "#Model’s probability", "#After the settings"];
    const caption = `What could stand ${chosen === null ? "next" : `as token ${place + 1}`}`;
    const tokens = { caption: "Tokens added", columns: ["#Place", "Token", "#Id", "#Probability"] };
    return [{ caption, columns, rows }, ...(added.length ? [{ ...tokens, rows: added }] : [])];
  }

  function draw() {
    follow();
    const now = { ...values(), max_new_tokens: get("max_new_tokens") };
    const seen = problem ? null : seenAt(chosen ?? places.length);
    const count = now.max_new_tokens;
    length.set({
      value: count,
      text: many(count, "token"),
      label: `Continue by ${many(count, "token")}`,
    });
    goOn.set({ label: run ? "Stop" : "Continue" });
    for (const button of [one, back, none]) button.set();
    drawText();
    words.el.setAttribute("aria-busy", String(run !== null));
    fold.draw(now);
    panel.el.hidden = problem !== "";
    if (!problem) drawPanel(seen);
    const cut = prompt.text.length >= LIMIT; // the browser lets no more in, and says nothing
    const state = { prompt, cut, places, chosen, news, next: seen, full: full(), values: now };
    live.say(problem || (failure ? failed(failure) : sentence(state)));
    root.dataset.prompt = prompt.ids.join(" ");
    tables.update();
  }

  return traits.start({ stop: () => (run = null) }, live, tables, source);
}

export default { render };
