// AttentionMap: one head drawn over the words; pointing at a word shows what it attends to.
//
// Python gives the weights of every layer and head. Masks, temperature and scaling are worked out
// here (weights.js); words with their arcs, thumbnails and the reader's own sentence have modules of
// their own. What a mouse points at is shown at once and forgotten when it leaves (`pointed`); what is
// pressed, tapped or reached by key is kept in the model.

import * as kit from "../kit/kit.js";
import * as prompts from "../kit/prompt.js";
import * as folds from "../kit/fold.js";
import * as scales from "../kit/scales.js";
import * as tokenMap from "../kit/token_map.js";
import * as sums from "./weights.js";
import * as words from "./words.js";
import * as drawing from "./arcs.js";
import * as thumbnails from "./heads.js";
import * as owns from "./own.js";
const { h } = kit;

const PROMPT = ["Point at or tap a token.", "Arcs show where its attention goes."];
const MORE = "Then try another head.";
const PLACE = ["layer", "head", "query", "padding"]; // what depends on the sentence
const TRAITS = [...PLACE, "causal", "scaled", "temperature", "text"];
const RESETS = ["padding", "causal", "scaled", "temperature"];
const STEPS = 40; // of the temperature's slider, to either side of 1, by which it goes tenfold

const degrees = (step) => Number((10 ** (step / STEPS)).toPrecision(3));
const stepOf = (temperature) => Math.round(Math.log10(temperature) * STEPS);

/** A box to tick, or a switch with a name and what it does: { el, set }. */
function tick({ label, hint, onChange }) {
  const input = h("input", { type: "checkbox", ...kit.OWN_KEYS });
  input.addEventListener("change", () => onChange(input.checked));
  const said = h("small", {}, hint ?? "");
  const el = h("label", { class: hint ? "am-switch" : "am-tick" }, input, h("span", {}, label, " ", said));
  const set = (on, text = hint ?? "") => {
    input.checked = on;
    if (said.textContent !== text) said.textContent = text;
  };
  return { el, set };
}

/** The page's sentence: { data, weights }, the keys being the same list where they are the tokens. */
function given(data) {
  const keys = String(data.keys) === String(data.tokens) ? data.tokens : data.keys;
  return { data: { ...data, keys }, weights: sums.decode(data.code) };
}

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let source = model.get("data");
  let page = given(source); // the page's sentence
  let own = null; // the reader's, with a place of its own: { data, weights, place }
  let built = null; // the sentence whose words are on the page
  let pointed = null; // the word under the mouse
  let remembered; // what the padding mask hides when it is turned on
  let drawn = {}; // the state that the page shows
  const [layers, heads, T, S] = page.data.shape;
  const isSquare = page.data.keys === page.data.tokens;

  const traits = kit.mount({
    model,
    traits: ["data", ...TRAITS],
    draw,
    checks: {
      layer: kit.within(0, layers - 1),
      head: kit.within(0, heads - 1),
      query: kit.within(0, T - 1),
    },
    links: {
      causal: (on) => on === true && S === T,
      scaled: (on) => on === true || page.data.d_head === null,
      padding: (list) => list.length === S && list.map(Boolean),
      temperature: kit.within(0.1, 10, { real: true }),
      text: (text) => (text.length <= 200 && (text === "" || model.get("engine")) ? text : ""),
    },
  });
  const { redraw } = traits;
  const start = Object.fromEntries(RESETS.map((name) => [name, traits.get(name)]));

  const shownText = () => own ?? page;
  const state = () => ({ ...traits.all(), ...own?.place });

  /** What a control does: the mouse no longer counts. */
  function choose(changes) {
    pointed = null;
    for (const name of PLACE) if (own && name in changes) own.place[name] = changes[name];
    const others = Object.entries(changes).filter(([name]) => !own || !PLACE.includes(name));
    traits.set(Object.fromEntries(others));
    redraw();
  }

  function show(text) {
    own = text;
    if (own) {
      const [L, H, n] = own.data.shape;
      const { layer, head } = traits.all();
      const same = L === layers && H === heads;
      own.data.d_head = page.data.d_head === null ? null : own.data.d_head;
      own.place = { layer: same ? layer : 0, head: same ? head : 0, query: n - 1, padding: Array(n).fill(false) };
    }
    redraw();
  }

  const live = kit.liveRegion();
  const picture = drawing.arcs({
    onPoint(query) {
      if (query === pointed) return;
      pointed = query;
      redraw();
    },
    onKeep: (query) => choose({ query }),
  });
  const thumbs = thumbnails.heads({
    onPick(place) {
      const [, count] = shownText().data.shape;
      choose({ layer: Math.floor(place / count), head: place % count });
    },
  });

  const causal = tick({
    label: "Causal mask",
    hint: "hides later tokens",
    onChange: (on) => choose({ causal: on }),
  });
  const already = h("p", { class: "am-already" }, "Causal mask: already in these weights.");
  const padding = tick({
    label: "Padding mask",
    hint: "hides filler",
    onChange(on) {
      const now = state().padding;
      if (!on) remembered = now;
      choose({ padding: on ? remembered : now.map(() => false) });
    },
  });
  const scaled = tick({
    label: `Scores divided by √${page.data.d_head}`,
    onChange: (on) => choose({ scaled: on }),
  });
  const temperature = kit.slider({
    label: "Temperature",
    min: -STEPS,
    max: STEPS,
    onInput: (step) => choose({ temperature: degrees(step) }),
  });
  const padBox = h("div", { class: "am-ticks" });
  let pads = []; // a box for each key
  const entropy = h("p", { class: "pf-note" });
  const precision = h("p", { class: "pf-note" });
  const reset = kit.button({
    label: "Reset",
    onPress: () => choose({ ...start, padding: own ? own.place.padding.map(() => false) : start.padding }),
  });
  const settings = folds.fold(
    "Settings",
    h("div", { class: "am-ticks" }, temperature.el, page.data.d_head === null ? null : scaled.el),
    h("fieldset", {}, h("legend", { class: "pf-label" }, "Tokens that are padding"), padBox),
    entropy,
    precision,
    reset.el,
  );
  const whole = tokenMap.map();
  const all = folds.fold(
    "Whole map",
    h("p", { class: "pf-note" }, "A row for each token that attends, a column for each token it attends to."),
    whole.el,
  );
  all.addEventListener("toggle", redraw);
  const table = kit.tableToggle(() => words.tables(drawn));
  const engine = model.get("engine");
  const first = page.data.tokens.filter((each) => !/^<.*>$/.test(each)).join(" ").replace(/ +/g, " ").trim();
  const sentence = engine
    ? owns.ownSentence({
        ...{ weights: engine, given: page.data.reader, first, show },
        onType: (text) => traits.set({ text }),
      })
    : null;

  const root = kit.card(
    el,
    "Attention map",
    prompts.prompt(PROMPT[0], layers * heads > 1 ? `${PROMPT[1]} ${MORE}` : PROMPT[1]),
    h(
      "div",
      { class: "am-root" },
      picture.el,
      live.el,
      h("div", { class: "am-choose" }, thumbs.el, h("div", { class: "am-switches" }, isSquare ? causal.el : null, isSquare ? already : null, padding.el)),
      sentence?.box,
      h("div", { class: "pf-row am-foot" }, sentence?.button, settings, all, table.button),
      table.box,
    ),
  );
  const ground = scales.ground(root, redraw);

  /** Put other words on the page. */
  function build(text) {
    built = text;
    const { data } = text;
    picture.build(data);
    thumbs.build(data);
    causal.el.hidden = data.causal;
    already.hidden = !data.causal;
    const now = state().padding;
    remembered = now.some(Boolean) ? now : now.map((_, j) => j === now.length - 1);
    pads = data.keys.map((token, j) =>
      tick({
        label: words.plain(token),
        onChange: (on) => choose({ padding: state().padding.map((was, i) => (i === j ? on : was)) }),
      }),
    );
    padBox.replaceChildren(...pads.map((each) => each.el));
    precision.textContent = words.precision(data);
  }

  function drawControls(now) {
    const text = words.degrees(now.temperature);
    temperature.set({ value: stepOf(now.temperature), text, label: `Temperature: ${text}` });
    causal.set(now.causal);
    scaled.set(now.scaled);
    const hides = now.padding.some(Boolean) ? now.padding : remembered;
    const filler = new Set(now.keys.filter((_, j) => hides[j]).map(words.plain));
    const one = filler.size === 1 && hides.filter(Boolean).length > 1 ? [...filler][0] : "";
    const last = hides.indexOf(true) === hides.length - 1;
    const some = last ? "the last token" : kit.many(hides.filter(Boolean).length, "token");
    padding.set(now.padding.some(Boolean), `hides ${one ? `“${one}”` : some}`);
    pads.forEach((each, j) => each.set(now.padding[j]));
    entropy.textContent = words.entropy(now);
  }

  /** The weights of the chosen head under masks and temperature, and each row's entropy. */
  function compute({ data, weights }, now) {
    const [, H, rows, columns] = data.shape;
    const shown = new Float64Array(rows * columns);
    sums.share(weights, (now.layer * H + now.head) * rows * columns, rows, columns, now, shown);
    const each = (f) => Float64Array.from({ length: rows }, (_, i) => f(i));
    const nats = each((i) => sums.entropy(shown, i * columns, columns));
    return { shown, nats, most: each((i) => sums.largestEntropy(i, columns, now)) };
  }

  function draw() {
    if (traits.get("data") !== source) {
      source = traits.get("data");
      page = given(source);
    }
    sentence?.set(traits.get("text"));
    const text = shownText();
    if (text !== built) build(text);
    const { tokens, keys, names, shape, d_head } = text.data;
    const now = { ...state(), tokens, keys, names, shape, d_head };
    now.causal ||= text.data.causal;
    now.kept = now.query;
    if (pointed !== null && pointed < tokens.length) now.query = pointed;
    Object.assign(now, compute(text, now));
    const before = drawn;
    drawn = now;
    const dark = ground.dark();
    picture.draw(now, dark);
    thumbs.draw(now, text.weights, dark);
    drawControls(now);
    if (all.open) {
      const columns = shape[3];
      const at = (i, j) => (sums.sees(i, j, now) ? now.shown[i * columns + j] : null);
      whole.draw({ tokens, keys, attention: tokens.map((_, i) => keys.map((_, j) => at(i, j))) }, dark);
    }
    live.say(words.sentence(now, before));
    table.update();
  }

  return traits.start(picture, live, table, ground, ...(sentence ? [sentence] : []));
}

export default { render };
