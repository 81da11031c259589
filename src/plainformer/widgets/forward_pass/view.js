// ForwardPass: a token's vector climbs through a decoder, and one stop is one operation.
//
// Here are the controls, the tower and who tells whom; words.js names the stops and speaks.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as numbering from "../kit/numbering.js";
import * as prompts from "../kit/prompt.js";
import * as steps from "../kit/steps.js";
import * as scales from "../kit/scales.js";
import * as tokenBars from "../kit/token_bars.js";
import * as written from "../kit/token_words.js";
import * as words from "./words.js";
const { h } = kit;

const PROMPT = ["Press Play or Next and follow the vector.", "Watch when the answer appears."];
const PACE = 1500; // milliseconds a stop stays while it plays
const [COLUMN, ROW] = [26, 30]; // of the streams' drawing; ROW as in the style sheet
const RMS = 2.5; // a number this many times the vector's usual one has the full colour

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const data = model.get("data");
  const { stops, ids, sizes } = data;
  const tokens = data.tokens.map(words.shown);
  const [LAST, TOP] = [stops.length - 1, stops.at(-1).row];
  const checks = { stop: kit.within(0, LAST), token: kit.within(0, tokens.length - 1) };
  const traits = kit.mount({ model, traits: ["stop", "token"], draw, checks });
  const at = () => traits.get("stop");
  let drawn = {};

  const walk = steps.controls({
    atStart: () => at() === 0,
    atEnd: () => at() === LAST,
    goBack: () => traits.set({ stop: at() - 1 }),
    goOn: () => traits.set({ stop: at() + 1 }),
    startOver: () => traits.set({ stop: 0 }),
    pace: PACE,
  });
  const change = walk.halting(traits.set);
  const slider = kit.slider({ label: "", max: LAST, onInput: (stop) => change({ stop }) });
  const picker = choices.choice({
    label: "Token whose vector is followed",
    options: tokens.map((token, t) => [String(t), token]),
    value: String(traits.get("token")),
    onChoose: (token) => change({ token: Number(token) }),
  });
  picker.el.classList.add("fp-tokens");

  // The tower, from the top: a name, the streams, the vector's first numbers, what it would say.
  const floors = Array.from({ length: TOP + 1 }, (_, row) => {
    const own = stops.map((stop, s) => ({ ...stop, s })).filter((stop) => stop.row === row);
    const dots = own.map(() => h("i"));
    const strip = h("span", { class: "fp-strip" });
    const [word, share] = [h("bdi", { class: "fp-word" }), h("span", { class: "fp-share" })];
    const top = TOP - row + 1;
    const place = (column) => `grid-area: ${top} / ${column}`;
    const name = h(
      "span",
      { class: "fp-name", style: place(1), onclick: () => change({ stop: own.at(-1).s }) },
      words.floor(own[0]),
      h("span", { class: "fp-dots" }, dots),
    );
    strip.style = place(3);
    const says = h("span", { class: "fp-says", style: place(4) }, word, share);
    return { row, own, dots, name, strip, says, word, share };
  });
  const car = h("span", { class: "fp-car" });
  const lines = h("svg", {
    class: "fp-streams",
    viewBox: `0 0 ${COLUMN * tokens.length} ${ROW * (TOP + 1)}`,
    preserveAspectRatio: "none",
    style: `grid-area: 1 / 2 / ${TOP + 2} / 3`,
  });
  const tower = h(
    "div",
    { class: "fp-tower" },
    h("div", { class: "fp-floors", "aria-hidden": "true", style: `--fp-floors: ${TOP + 1}` }, car, lines,
      floors.flatMap(({ name, strip, says }) => [name, strip, says])),
    h("div", { class: "fp-foot" }, picker.el),
  );

  // Beside it: the stop, its shape, what is inside of it, and the likeliest next tokens.
  const title = h("p", { class: "fp-title" });
  const shape = h("code", { class: "fp-shape" });
  const chapter = h("p", { class: "fp-chapter" });
  const inside = h("div", { class: "fp-inside", "aria-hidden": "true" });
  const heading = h("p", { class: "fp-heading" });
  const bars = tokenBars.bars();
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const root = kit.card(
    el,
    "One forward pass, from an ID to the next word",
    prompts.prompt(...PROMPT),
    h("div", { class: "pf-row fp-controls" }, slider.el, h("div", { class: "fp-buttons" }, walk.back, walk.play, walk.next)),
    live.el,
    h(
      "div",
      { class: "fp-main" },
      tower,
      h(
        "div",
        { class: "fp-side" },
        h("div", { class: "fp-top" }, title, shape, chapter),
        inside,
        h("div", { class: "fp-lens" }, heading, bars.el),
        h("div", { class: "pf-row fp-end" }, table.button),
      ),
    ),
    table.box,
  );
  const ground = scales.ground(root, traits.redraw);

  /** The first numbers of a vector as a strip, coloured by their size within this vector. */
  function paint(strip, numbers, length, width) {
    const limit = (RMS * length) / Math.sqrt(width) || 1;
    const part = 100 / numbers.length;
    const pieces = numbers.map((value, i) => {
      const colour = scales.css(scales.signed(kit.clamp(value, -limit, limit), limit, ground.dark()));
      return `${colour} ${part * i}% ${part * (i + 1)}%`;
    });
    strip.style.background = `linear-gradient(90deg, ${pieces.join(", ")})`;
  }

  function painted(name, numbers, length, width) {
    const strip = h("span", { class: "fp-strip" });
    paint(strip, numbers, length, width);
    const text = `${name}, length ${kit.format(length, 2)}`;
    return h("div", { class: "fp-vector" }, h("span", {}, text), strip);
  }

  function drawInside({ stop, token }) {
    const { kind, layer } = stops[stop];
    if (kind === "ids") {
      const pair = (name, i) => h("span", {}, h("bdi", {}, name), ` ${kit.format(ids[i])}`);
      return inside.replaceChildren(h("div", { class: "fp-ids" }, tokens.map(pair)));
    }
    if (kind === "heads") return inside.replaceChildren(...heads(layer, token));
    const [vector, added] = [data.vectors[stop], data.written[stop]];
    const width = kind === "units" ? sizes.F : sizes.D;
    const strips = [];
    if (added) strips.push(painted("Added", added[token], data.added[stop][token], sizes.D));
    if (vector) strips.push(painted(words.called(kind), vector[token], data.lengths[stop][token], width));
    const shown = vector && h("p", { class: "pf-note" }, `The first ${vector[token].length} of ${width} numbers.`);
    inside.replaceChildren(...strips, ...(shown ? [shown] : []));
  }

  /** A line for each head: where it looks, and the token that gets most. */
  function heads(layer, token) {
    return data.weights[layer].map((rows, i) => {
      const row = rows[token].slice(0, token + 1);
      const most = row.indexOf(Math.max(...row));
      const cells = row.map((share) => h("i", { style: `background: ${scales.css(scales.weight(share, ground.dark()))}` }));
      const text = `${tokens[most]} ${written.share(row[most])}`;
      const wide = `grid-template-columns: repeat(${tokens.length}, 1fr)`;
      return h("div", { class: "fp-head" }, numbering.headName(i), h("span", { style: wide }, cells), h("bdi", { title: text }, text));
    });
  }

  /** The streams: a line for each token, and what attention has brought to the chosen one. */
  function drawStreams({ stop, token }, before) {
    const x = (t) => COLUMN * (t + 0.5);
    const { row } = stops[stop];
    const height = ROW * (TOP + 1);
    const made = tokens.map((_, t) => h("path", { class: "fp-line", d: `M${x(t)} ${height}V0` }));
    made.push(h("path", { class: "fp-own", d: `M${x(token)} ${height}V${ROW * (TOP - row) + ROW / 2}` }));
    const isNew = stop > before.stop && token === before.token && stops[stop].kind === "heads";
    for (const { kind, layer, row: floor } of stops.slice(0, stop + 1)) {
      const y = ROW * (TOP - floor);
      if (kind === "units") made.push(h("rect", { class: "fp-units", x: x(token) - 7, y: y + 10, width: 14, height: 10 }));
      if (kind !== "heads") continue;
      for (let s = 0; s < token; s += 1) {
        const mean = data.weights[layer].reduce((sum, rows) => sum + rows[token][s], 0) / data.weights[layer].length;
        const d = `M${x(s)} ${y + ROW}C${x(s)} ${y + 8} ${x(token)} ${y + ROW} ${x(token)} ${y + 8}`;
        const kinds = `fp-look${isNew && floor === row ? " fp-new" : ""}`;
        made.push(h("path", { class: kinds, d, pathLength: 1, style: `stroke-width: ${1 + 9 * mean}px` }));
      }
    }
    lines.replaceChildren(...made);
  }

  function drawFloors({ stop, token }) {
    const here = stops[stop].row;
    car.style.transform = `translateY(${ROW * (TOP - here)}px)`;
    for (const { row, own, dots, name, strip, says, word, share } of floors) {
      own.forEach(({ s }, i) => dots[i].classList.toggle("fp-done", s <= stop));
      name.classList.toggle("fp-here", row === here);
      const made = own.filter(({ s, kind }) => s <= stop && words.isStream(kind)).at(-1);
      strip.hidden = !made;
      if (made) paint(strip, data.vectors[made.s][token], data.lengths[made.s][token], sizes.D);
      const depth = own.at(-1).s <= stop ? Math.min(row, TOP - 2) : null;
      says.hidden = depth === null || (row > TOP - 2 && row !== TOP);
      if (says.hidden) continue;
      word.textContent = words.shown(data.words[depth][token][0]);
      share.textContent = written.share(data.shares[depth][token][0]);
      says.style.setProperty("--fp-share", `${100 * data.shares[depth][token][0]}%`);
    }
  }

  function drawBars({ stop, token }) {
    const depth = words.depthOf(stops, stop);
    heading.textContent = words.heading(stops[stop].kind);
    bars.el.hidden = depth === null;
    if (depth === null) return;
    const shares = data.shares[depth][token];
    const rows = shares.map((each, i) => {
      const name = words.shown(data.words[depth][token][i]);
      return { name, shares: [each], texts: [written.share(each)] };
    });
    const rest = Math.max(0, 1 - shares.reduce((sum, each) => sum + each, 0));
    const name = tokenBars.others(sizes.V - shares.length);
    rows.push({ name, shares: [rest], texts: [written.share(rest)], sum: true });
    bars.draw({ heads: ["probability"], rows });
  }

  function tables() {
    const { stop, token } = drawn;
    const said = (s) => {
      const depth = words.depthOf(stops, s);
      if (depth === null) return "";
      return `${words.shown(data.words[depth][token][0])} ${written.share(data.shares[depth][token][0])}`;
    };
    const rows = stops.map((each, s) => [
      words.title(each),
      words.shape(each),
      data.lengths[s] ? kit.format(data.lengths[s][token], 2) : "",
      said(s),
    ]);
    const found = [
      {
        caption: `The vector of “${tokens[token]}”, stop by stop`,
        columns: ["Stop", "Shape", "#Length", "Would say"],
        rows,
        current: stop,
      },
    ];
    const { kind, layer } = stops[stop];
    if (kind === "heads") {
      found.push({
        caption: `Where “${tokens[token]}” looks in ${numbering.layerName(layer)}`,
        columns: ["Head", ...tokens.map((name, t) => `#${t}: ${name}`)],
        rows: data.weights[layer].map((each, i) => [numbering.ordinal(i), ...each[token].map(tokenBars.sixth)]),
      });
    }
    return found;
  }

  function draw() {
    const before = drawn;
    drawn = traits.all();
    const { stop } = drawn;
    const name = words.title(stops[stop]);
    slider.set({ value: stop, text: name, label: `Stop ${stop + 1} of ${LAST + 1}` });
    walk.draw();
    picker.set(String(drawn.token));
    title.textContent = name;
    shape.textContent = words.shape(stops[stop]);
    chapter.replaceChildren(words.link(stops[stop].kind, data.chapters));
    drawFloors(drawn);
    drawStreams(drawn, before);
    drawInside(drawn);
    drawBars(drawn);
    live.say(words.sentence(data, tokens, drawn));
    table.update();
  }

  return traits.start(walk, live, table, ground);
}

export default { render };
