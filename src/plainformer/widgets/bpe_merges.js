// BPEMerges: type a text and step through the merges that a BPE tokenizer applies to it.
//
// Two parts: the tokenizer (what BPETokenizer.encode does, kept as steps) and the picture of it.
// The trick that makes scrubbing cheap: a merge only ever removes the boundary between two symbols,
// so a pre-token is stored as its symbols and the step at which each boundary goes. Its tokens at
// any step are what lies between the boundaries that are still there.

import * as kit from "./kit.js";
const { h } = kit;

const NEVER = 0x7fffffff;
const LIMIT = 10000; // characters; the same as MAX_TEXT in Python
const SHOWN = 200; // tokens drawn until the reader asks for all: as many as one frame has time for

// ---------------------------------------------------------------- the tokenizer

/** The tokenizer from its packed state. Bytes are kept as strings with one character a byte. */
function makeTokenizer({ byteLevel, pattern, alphabet, unknown, pairs, made, counts }) {
  const names = []; // id -> the symbol's bytes or characters
  const singles = byteLevel
    ? alphabet.map((id, byte) => [String.fromCharCode(byte), id])
    : Array.from(alphabet[0], (character, i) => [character, alphabet[1][i]]);
  for (const [name, id] of singles) if (id >= 0) names[id] = name;
  const idOfSingle = new Map(singles);
  const results = Int32Array.from({ length: pairs.length / 2 }, (_, rank) =>
    typeof made === "number" ? made + rank : made[rank],
  ); // rank -> id that the merge makes
  // One pass names every token of a trained list; a hand-made one may have its merges in any order.
  for (let named = true; named; ) {
    named = false;
    results.forEach((id, rank) => {
      const left = names[pairs[2 * rank]];
      const right = names[pairs[2 * rank + 1]];
      if (id in names || left === undefined || right === undefined) return;
      names[id] = left + right;
      named = true;
    });
  }
  const size = names.length;
  const ranks = new Map(); // left * size + right -> rank
  for (let rank = results.length - 1; rank >= 0; rank -= 1) {
    ranks.set(pairs[2 * rank] * size + pairs[2 * rank + 1], rank);
  }
  const idOf = new Map();
  names.forEach((name, id) => idOf.set(name, id));
  const idOfName = (name) => idOf.get(name) ?? unknown; // null: the tokenizer refuses such a text
  const rankOf = (left, right) => ranks.get(left * size + right) ?? NEVER;
  const split = new RegExp(`(${pattern})`, "u");
  const utf8 = new TextEncoder();
  const spell = (piece) =>
    byteLevel
      ? Array.from(utf8.encode(piece), (byte) => String.fromCharCode(byte))
      : Array.from(piece);
  const known = new Map(); // pre-token -> its word, kept while the reader types

  /** A pre-token: its symbols, and at which of its own merges each boundary between them goes. */
  function makeWord(piece) {
    const symbols = spell(piece);
    const size = symbols.length;
    const ids = Int32Array.from(symbols, (symbol) => idOfSingle.get(symbol) ?? -1);
    const starts = Int32Array.from(symbols, (_, i) => i);
    const next = new Int32Array(size).fill(NEVER); // rank of the pair that starts here
    const fresh = new Uint8Array(size + 1);
    const gone = new Int32Array(size).fill(NEVER); // boundary before symbol i -> own merge
    const merges = []; // own merges in order: { rank, places }
    for (let i = 0; i + 1 < size; i += 1) next[i] = rankOf(ids[i], ids[i + 1]);
    for (let length = size; ; ) {
      let rank = NEVER;
      for (let i = 0; i + 1 < length; i += 1) if (next[i] < rank) rank = next[i];
      if (rank === NEVER) break;
      let kept = 0;
      let places = 0;
      let overtaken = false; // a merge can make a pair of lower rank, which then comes first
      fresh.fill(0, 0, length + 1);
      for (let i = 0; i < length; kept += 1) {
        const merge = i + 1 < length && next[i] === rank && !overtaken;
        const id = merge ? results[rank] : ids[i];
        if (merge) {
          gone[starts[i + 1]] = merges.length;
          fresh[kept] = 1;
          places += 1;
          overtaken =
            (kept > 0 && rankOf(ids[kept - 1], id) < rank) ||
            (i + 2 < length && rankOf(id, ids[i + 2]) < rank);
        }
        starts[kept] = starts[i];
        next[kept] = next[i];
        ids[kept] = id;
        i += merge ? 2 : 1;
      }
      length = kept;
      for (let i = 0; i + 1 < length; i += 1) {
        if (fresh[i] || fresh[i + 1]) next[i] = rankOf(ids[i], ids[i + 1]);
      }
      merges.push({ rank, places });
    }
    return { piece, symbols, gone, merges };
  }

  /** All steps of a text: its pre-tokens in order, and the merges, each applied everywhere. */
  function trace(text) {
    if (known.size > 4000) known.clear();
    const used = new Map(); // pre-token -> { word, at: its own merge -> step, times }
    const pieces = text.split(split).filter(Boolean); // what matches, and what lies between
    let tokens = 0;
    const parts = pieces.map((piece) => {
      let part = used.get(piece);
      if (!part) {
        if (!known.has(piece)) known.set(piece, makeWord(piece));
        used.set(piece, (part = { word: known.get(piece), at: [], times: 0 }));
      }
      part.times += 1;
      tokens += part.word.symbols.length;
      return part;
    });
    const first = tokens;
    const steps = []; // { rank, tokens }
    let open = [...used.values()].filter((part) => part.word.merges.length > 0);
    while (open.length > 0) {
      let rank = NEVER;
      for (const { word, at } of open) rank = Math.min(rank, word.merges[at.length].rank);
      let finished = false;
      for (const { word, at, times } of open) {
        const merge = word.merges[at.length];
        if (merge.rank !== rank) continue;
        tokens -= merge.places * times;
        at.push(steps.length);
        finished ||= at.length === word.merges.length;
      }
      steps.push({ rank, tokens });
      if (finished) open = open.filter(({ word, at }) => at.length < word.merges.length);
    }
    return { parts, steps, first };
  }

  /** How many of its own merges a pre-token has seen after so many steps of the text. */
  function progress({ at }, step) {
    let own = 0;
    while (own < at.length && at[own] < step) own += 1;
    return own;
  }

  /**
   * The tokens of a pre-token after so many of its own merges: { id, name, seam, fresh }, where
   * seam says that the boundary after the token goes with the next one, fresh that the last one
   * made the token.
   */
  function tokensAt({ word: { symbols, gone } }, own) {
    const tokens = [];
    let name = symbols[0];
    let fresh = false;
    for (let i = 1; i <= symbols.length; i += 1) {
      if (i < symbols.length && gone[i] < own) {
        name += symbols[i];
        fresh ||= gone[i] === own - 1;
      } else {
        tokens.push({ id: idOfName(name), name, fresh, seam: gone[i] === own });
        name = symbols[i];
        fresh = false;
      }
    }
    return tokens;
  }

  /** The first character or byte that the tokenizer has no token for, or undefined. */
  function missing(text) {
    if (unknown !== null || (byteLevel && !alphabet.includes(-1))) return undefined;
    return spell(text).find((symbol) => !(idOfSingle.get(symbol) >= 0));
  }

  const pairOf = (rank) => [names[pairs[2 * rank]], names[pairs[2 * rank + 1]]];
  return { byteLevel, trace, progress, tokensAt, missing, pairOf, results, counts };
}

// ---------------------------------------------------------------- how a token reads

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");
const bytesOf = (name) => Uint8Array.from(name, (character) => character.charCodeAt(0));
const SIGNS = { " ": "·", "\n": "↵", "\t": "⇥", "\r": "␍", "\x7f": "␡" };
const SOLID = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A character that has no picture of its own gets one: a sign, or its code point. */
function sign(character) {
  if (character in SIGNS) return SIGNS[character];
  const code = character.codePointAt(0);
  if (code < 32) return String.fromCodePoint(0x2400 + code);
  return /[\p{C}\p{Z}]/u.test(character) ? `U+${code.toString(16).toUpperCase()}` : character;
}

/** What a token shows: { text, hex } in one of the two views. */
function reading(name, byteLevel, view) {
  let text = name;
  if (view === "bytes") {
    const bytes = byteLevel ? bytesOf(name) : new TextEncoder().encode(name);
    return { text: Array.from(bytes, hex).join(" "), hex: true };
  }
  if (byteLevel) {
    try {
      text = strict.decode(bytesOf(name));
    } catch {
      return { text: Array.from(bytesOf(name), hex).join(" "), hex: true };
    }
  }
  if (SOLID.test(text)) return { text: text.replace(/[\p{Cc} ]/gu, sign), hex: false };
  const shown = Array.from(text, sign).join("");
  return { text: /^\p{M}/u.test(shown) ? `◌${shown}` : shown, hex: false };
}

// ---------------------------------------------------------------- the picture

const tint = (id) => ((id % 2 ? id * 5 : id * 7) % 6);

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let tokenizer = makeTokenizer(model.get("data"));
  let text = null; // what is drawn now
  let trace = tokenizer.trace("");
  let problem = "";
  let view = "characters";
  let all = false; // whether a long text shows all its tokens
  let groups = []; // one per pre-token: { part, el, size, drawn: what el shows }

  const frame = kit.redraw(draw);
  const last = () => trace.steps.length;
  const stepOf = () => Math.min(model.get("step") ?? NEVER, last());

  function goTo(step) {
    model.set("step", step >= last() ? null : Math.max(0, step));
    model.save_changes();
  }

  /** What is wrong with a text, in a sentence; "" when nothing is. */
  function complaint(value) {
    if (/\p{Cs}/u.test(value)) {
      return "This text holds half of a character (a lone surrogate), which UTF-8 cannot hold.";
    }
    const lost = tokenizer.missing(value);
    return lost === undefined
      ? ""
      : `This tokenizer has no token for ${quote(lost)}: it did not occur in the training text.`;
  }

  function type(value) {
    play.stop();
    problem = complaint(value);
    if (problem === "") {
      model.set("text", value);
      if (model.get("step") !== null) {
        follow(value);
        if (model.get("step") >= last()) model.set("step", null);
      }
      model.save_changes();
    }
    frame.ask();
  }

  const play = kit.player({
    tick() {
      goTo(stepOf() + 1);
      return stepOf() < last();
    },
    every: () => Math.min(900, Math.max(90, 12000 / last())),
    onChange: (on) => playButton.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Play" }),
  });

  const box = kit.textBox({ label: "Type any text", limit: LIMIT, onInput: type });
  const previous = kit.button({
    label: "Previous merge",
    icon: "previous",
    onPress: () => (play.stop(), goTo(stepOf() - 1)),
  });
  const next = kit.button({
    label: "Next merge",
    icon: "next",
    onPress: () => (play.stop(), goTo(stepOf() + 1)),
  });
  const playButton = kit.button({
    label: "Play",
    icon: "play",
    onPress() {
      if (!play.playing() && stepOf() === last()) goTo(0);
      play.toggle();
    },
  });
  const slider = kit.slider({
    label: "Merges applied",
    onInput: (step) => (play.stop(), goTo(step)),
  });
  previous.el.classList.add("bpe-previous");
  next.el.classList.add("bpe-following");
  const live = kit.liveRegion();
  const more = kit.button({ label: "Show all", onPress: () => ((all = !all), frame.ask()) });
  const upcoming = h("p", { class: "bpe-next pf-note" });
  const line = h("div", { class: "bpe-line" });
  const tokens = h("div", { class: "bpe-tokens", role: "group", "aria-label": "Tokens" }, line);
  const stats = h("dl", { class: "bpe-stats" });
  const views = kit.choice({
    label: "Show tokens as",
    options: [
      ["characters", "Characters"],
      ["bytes", "Bytes"],
    ],
    value: view,
    onChoose: (chosen) => ((view = chosen), frame.ask()),
  });
  const table = kit.tableToggle(tables);
  const root = kit.card(
    el,
    "Byte-pair encoding, merge by merge",
    box.el,
    h("div", { class: "bpe-controls" }, slider.el, previous.el, playButton.el, next.el),
    live.el,
    tokens,
    more.el,
    upcoming,
    h("div", { class: "pf-row bpe-foot" }, stats, views.el, table.button),
    table.box,
  );

  // The tokens keep the height they have had, so that stepping does not move what is below them;
  // a box that scrolls can be reached by keyboard.
  let tallest = 0;
  let width = 0;
  const sizes = new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width !== width) forgetHeight();
    width = contentRect.width;
    tallest = Math.max(tallest, line.offsetHeight);
    line.style.minHeight = `${tallest}px`;
    if (tokens.scrollHeight > tokens.clientHeight + 1) tokens.tabIndex = 0;
    else tokens.removeAttribute("tabindex");
  });
  sizes.observe(line);

  function forgetHeight() {
    tallest = 0;
    line.style.minHeight = "";
  }

  /** Make the groups those of a text; what the old and the new text share at both ends stays. */
  function follow(wanted) {
    if (wanted === text) return;
    text = wanted;
    trace = tokenizer.trace(text);
    forgetHeight();
    const { parts } = trace;
    const same = (i, j) => groups[i].part.word === parts[j].word;
    const both = Math.min(groups.length, parts.length);
    let head = 0;
    while (head < both && same(head, head)) head += 1;
    let tail = 0;
    while (tail < both - head && same(groups.length - 1 - tail, parts.length - 1 - tail)) tail += 1;
    for (const group of groups.slice(head, groups.length - tail)) group.el.remove();
    const added = parts.slice(head, parts.length - tail).map((part) => ({
      part,
      el: h("span", { class: "bpe-word" }),
      size: 0,
      drawn: "",
    }));
    const anchor = groups[groups.length - tail]?.el ?? null;
    const fragment = document.createDocumentFragment();
    for (const group of added) fragment.append(group.el);
    line.insertBefore(fragment, anchor);
    groups = [...groups.slice(0, head), ...added, ...groups.slice(groups.length - tail)];
    groups.forEach((group, i) => (group.part = parts[i]));
  }

  /** Draw the tokens after so many steps: the first SHOWN of them, or all when the reader asks. */
  function drawGroups(step, count) {
    let room = all ? Infinity : SHOWN;
    for (const group of groups) {
      if (group.el.hidden !== room <= 0) group.el.hidden = room <= 0;
      if (room > 0) room -= drawGroup(group, step, room);
      else if (group.drawn !== "") {
        group.el.replaceChildren();
        group.drawn = "";
      }
    }
    more.el.hidden = count <= SHOWN;
    more.set({ label: all ? `Show the first ${SHOWN} tokens` : `Show all ${plural(count, "token")}` });
  }

  /** Draw at most so many tokens of a pre-token, unless they stand; returns how many there are. */
  function drawGroup(group, step, room) {
    const { part } = group;
    const own = tokenizer.progress(part, step);
    const isNext = part.at[own] === step; // its next merge is the next step of the text
    const isNew = own > 0 && part.at[own - 1] === step - 1;
    const key = `${view} ${own} ${isNext} ${isNew} ${Math.min(room, part.word.symbols.length)}`;
    if (group.drawn === key) return group.size;
    const found = tokenizer.tokensAt(part, own);
    group.drawn = key;
    group.size = found.length;
    const children = [];
    let before = null;
    let joined = false;
    for (const token of found.slice(0, room)) {
      const shown = reading(token.name, tokenizer.byteLevel, view);
      let fill = tint(token.id);
      if (before && before.fill === fill && before.id !== token.id) fill = (fill + 1) % 6;
      before = { fill, id: token.id };
      let kind = `bpe-token bpe-c${fill}`;
      if (shown.hex) kind += " bpe-hex";
      if (isNew && token.fresh) kind += " bpe-made";
      if (isNext && joined) kind += " bpe-right";
      if (isNext && token.seam) kind += " bpe-left";
      const chip = document.createElement("span");
      chip.className = kind;
      chip.dataset.id = token.id;
      chip.textContent = shown.text;
      children.push(chip);
      joined = token.seam;
      if (isNext && joined) children.push(h("i", { class: "bpe-plus", "aria-hidden": "true" }, "+"));
    }
    group.el.replaceChildren(...children);
    return group.size;
  }

  const quote = (name) => `“${reading(name, tokenizer.byteLevel, view).text}”`;
  const seen = (rank) =>
    tokenizer.counts.length ? `, seen ${kit.format(tokenizer.counts[rank])} times` : "";
  const plural = (n, word) => `${kit.format(n)} ${word}${n === 1 ? "" : "s"}`;

  function sentence(step) {
    if (problem) return problem;
    if (text === "") return "Nothing to merge yet: type something above.";
    const now = step === 0 ? trace.first : trace.steps[step - 1].tokens;
    if (step === 0) {
      const unit = tokenizer.byteLevel ? "byte" : "character";
      return `Before the first merge, every ${unit} is a token: ${plural(now, "token")}.`;
    }
    const { rank } = trace.steps[step - 1];
    const [left, right] = tokenizer.pairOf(rank);
    if (model.get("compact")) {
      return `${quote(left)} + ${quote(right)} makes ${quote(left + right)} (rank ${kit.format(rank)}).`;
    }
    return (
      `Merge ${step} of ${last()}: ${quote(left)} + ${quote(right)} makes ${quote(left + right)} ` +
      `(rank ${kit.format(rank)}${seen(rank)}). ${plural(now, "token")}.`
    );
  }

  function after(step) {
    if (problem || text === "") return "";
    if (step === last()) return "No merge is left: these are the tokens that a model gets.";
    const { rank } = trace.steps[step];
    const [left, right] = tokenizer.pairOf(rank).map(quote);
    return `Next: ${left} + ${right}, rank ${kit.format(rank)}${seen(rank)}.`;
  }

  function drawStats(count) {
    const characters = Array.from(text).length;
    const bytes = new TextEncoder().encode(text).length;
    const rate = (n) => (count ? kit.format(n / count, 2) : "–");
    const facts = [
      [count === 1 ? "Token" : "Tokens", kit.format(count)],
      ["Characters per token", rate(characters)],
      ["Bytes per token", rate(bytes)],
    ];
    stats.replaceChildren(
      ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    );
  }

  function tables() {
    const step = stepOf();
    const rows = [];
    for (const part of trace.parts) {
      for (const token of tokenizer.tokensAt(part, tokenizer.progress(part, step))) {
        const bytes = reading(token.name, tokenizer.byteLevel, "bytes").text;
        const shown = reading(token.name, tokenizer.byteLevel, "characters").text;
        rows.push([rows.length + 1, shown, bytes, token.id]);
      }
    }
    const merges = trace.steps.map(({ rank, tokens: left }, i) => {
      const [a, b] = tokenizer.pairOf(rank);
      const count = tokenizer.counts.length ? kit.format(tokenizer.counts[rank]) : "not known";
      return [i + 1, rank, quote(a), quote(b), tokenizer.results[rank], count, left];
    });
    return [
      { caption: "Tokens now", columns: ["#Place", "Token", "Bytes", "#Id"], rows },
      {
        caption: "Merges of this text",
        columns: ["#Merge", "#Rank", "Left", "Right", "#New id", "#Seen in training", "#Tokens left"],
        rows: merges,
        current: step - 1,
      },
    ];
  }

  function draw() {
    follow(model.get("text"));
    const step = stepOf();
    const count = step === 0 ? trace.first : trace.steps[step - 1].tokens;
    root.classList.toggle("bpe-compact", Boolean(model.get("compact")));
    if (!problem && box.input.value.replace(/\r\n?/g, "\n") !== text.replace(/\r\n?/g, "\n")) {
      box.input.value = text;
    }
    box.input.rows = model.get("compact") ? 1 : 2;
    line.hidden = problem !== "";
    drawGroups(step, count);
    slider.set({ max: last(), value: step, text: `${step} of ${last()}` });
    slider.label.textContent = `Merges applied: ${step} of ${last()}`;
    const idle = problem !== "" || last() === 0;
    slider.input.disabled = idle;
    previous.set({ disabled: idle || step === 0 });
    next.set({ disabled: idle || step === last() });
    playButton.set({ disabled: idle });
    live.say(sentence(step));
    upcoming.textContent = after(step);
    upcoming.classList.toggle("bpe-pending", step < last() && !problem);
    drawStats(count);
    table.update();
  }

  function onData() {
    tokenizer = makeTokenizer(model.get("data"));
    text = null;
    for (const group of groups) group.el.remove();
    groups = [];
    frame.ask();
  }
  const changes = ["change:text", "change:step", "change:compact"];
  for (const change of changes) model.on(change, frame.ask);
  model.on("change:data", onData);
  draw();

  return () => {
    for (const change of changes) model.off(change, frame.ask);
    model.off("change:data", onData);
    for (const part of [frame, play, live, table]) part.stop();
    sizes.disconnect();
  };
}

export default { render };
