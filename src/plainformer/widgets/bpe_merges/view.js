// BPEMerges: type a text and step through the merges that a BPE tokenizer applies to it.
//
// The merging is done by formulas/bpe.js; here is the picture of it, and its controls.

import * as kit from "../kit/kit.js";
import * as boxes from "../kit/text_box.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as bpe from "../formulas/bpe.js";
const { h } = kit;
const { NEVER, reading } = bpe;

const PROMPT = ["Type a word and press Play.", "Frequent pairs of characters become tokens."];
const LIMIT = 10000; // characters; the same as MAX_TEXT in Python
const SHOWN = 200; // tokens drawn until the reader asks for all: as many as one frame has time for

const tint = (id) => ((id % 2 ? id * 5 : id * 7) % 6);

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  let tokenizer = bpe.makeTokenizer(model.get("data"));
  let text = null; // what is drawn now
  let trace = tokenizer.trace("");
  let problem = "";
  let view = "characters";
  let all = false; // whether a long text shows all its tokens
  let groups = []; // one per pre-token: { part, el, size, drawn: what el shows }

  const traits = kit.mount({
    model,
    traits: ["data", "text", "step", "compact"],
    draw,
    checks: { step: kit.within(0, NEVER, { open: true }) }, // a text has steps once it is followed
    links: {
      text: (value) => (complaint(value) ? "" : value.slice(0, LIMIT)),
      step: kit.within(0, () => tokenizer.trace(get("text")).steps.length, { open: true }),
    },
    heed: (name) => name === "data" && onData(),
  });
  const { get, set, redraw } = traits;
  const last = () => trace.steps.length;
  const stepOf = () => Math.min(get("step") ?? NEVER, last());

  /** Go to a step; the last one is null, so that it stays the last one while the reader types. */
  const goTo = (step) => set({ step: step >= last() ? null : step });

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
      if (get("step") !== null) follow(value);
      set({ text: value, step: get("step") >= last() ? null : get("step") });
    }
    redraw();
  }

  const play = kit.player({
    tick() {
      goTo(stepOf() + 1);
      return stepOf() < last();
    },
    every: () => Math.min(900, Math.max(90, 12000 / last())),
    onChange: (on) => playButton.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Play" }),
  });

  const box = boxes.textBox({ label: "Type any text", limit: LIMIT, onInput: type });
  const idle = () => problem !== "" || last() === 0;
  const previous = kit.button({
    label: "Previous merge",
    icon: "previous",
    when: () => !idle() && stepOf() > 0,
    onPress: () => (play.stop(), goTo(stepOf() - 1)),
  });
  const next = kit.button({
    label: "Next merge",
    icon: "next",
    when: () => !idle() && stepOf() < last(),
    onPress: () => (play.stop(), goTo(stepOf() + 1)),
  });
  const playButton = kit.button({
    label: "Play",
    icon: "play",
    when: () => !idle(),
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
  const more = kit.button({ label: "Show all", onPress: () => ((all = !all), redraw()) });
  const upcoming = h("p", { class: "bpe-next pf-note" });
  const line = h("div", { class: "bpe-line" });
  const tokens = h("div", { class: "bpe-tokens", role: "group", "aria-label": "Tokens" }, line);
  const stats = h("dl", { class: "bpe-stats" });
  const views = choices.choice({
    label: "Show tokens as",
    options: [
      ["characters", "Characters"],
      ["bytes", "Bytes"],
    ],
    value: view,
    onChoose: (chosen) => ((view = chosen), redraw()),
  });
  const legend = h("p", { class: "bpe-legend pf-note" });
  const table = kit.tableToggle(tables);
  const root = kit.card(
    el,
    "Byte-pair encoding, merge by merge",
    prompts.prompt(...PROMPT),
    box.el,
    h("div", { class: "bpe-controls" }, slider.el, previous.el, playButton.el, next.el),
    live.el,
    tokens,
    more.el,
    upcoming,
    h(
      "div",
      { class: "pf-row bpe-foot" },
      stats,
      h("div", { class: "bpe-actions" }, views.el, table.button),
    ),
    table.box,
    legend,
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
    const fewer = `Show the first ${SHOWN} tokens`;
    more.set({ label: all ? fewer : `Show all ${kit.many(count, "token")}` });
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
    let joined = false;
    for (const token of found.slice(0, room)) {
      const shown = reading(token.name, tokenizer.byteLevel, view);
      let kind = `bpe-token bpe-c${tint(token.id)}`;
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
      if (isNext && joined) children.push(h("i", { class: "bpe-plus", "aria-hidden": true }, "+"));
    }
    group.el.replaceChildren(...children);
    return group.size;
  }

  const quote = (name) => `“${reading(name, tokenizer.byteLevel, view).text}”`;
  const seen = (rank) =>
    tokenizer.counts.length ? `, seen ${kit.format(tokenizer.counts[rank])} times` : "";

  /** What a token is before any merge: a byte, where bytes and characters are not the same. */
  const unit = () => (tokenizer.byteLevel && /[^\0-\x7f]/.test(text) ? "byte" : "character");

  function sentence(step) {
    if (problem) return problem;
    if (text === "") return "Nothing to merge yet: type something above.";
    const now = step === 0 ? trace.first : trace.steps[step - 1].tokens;
    if (step === 0) return `Before any merge: ${kit.many(now, unit())}, each a token.`;
    const { rank } = trace.steps[step - 1];
    const [left, right] = tokenizer.pairOf(rank);
    const what = `${quote(left)} + ${quote(right)} makes ${quote(left + right)}`;
    if (get("compact")) return `${what}. ${kit.many(now, "token")}.`;
    const when = `rank ${kit.format(rank)}${seen(rank)}`;
    return `Merge ${step} of ${last()}: ${what} (${when}). ${kit.many(now, "token")}.`;
  }

  function after(step) {
    if (problem || text === "") return "";
    if (last() === 0) return `No merge applies: each ${unit()} stays a token.`;
    if (step === last()) return "No merge is left: these are the tokens that a model gets.";
    const { rank } = trace.steps[step];
    const [left, right] = tokenizer.pairOf(rank).map(quote);
    return `Next: ${left} + ${right}, rank ${kit.format(rank)}${seen(rank)}.`;
  }

  /** What the signs mean, for whoever wonders. */
  function explain() {
    const { byteLevel, counts } = tokenizer;
    legend.textContent = [
      "Equal tokens share a colour; with few colours, different ones may too.",
      "Rank: a merge’s place in the list, from 0.",
      counts.length && "Seen: how often the pair occurred in the training text.",
      byteLevel && "<0xC3>: the byte C3 (in hexadecimal), which alone is no character.",
    ]
      .filter(Boolean)
      .join(" ");
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
        columns: ["#Merge", "#Rank", "Left", "Right", "#New id", "#Times seen", "#Tokens left"],
        rows: merges,
        current: step - 1,
      },
    ];
  }

  function draw() {
    follow(get("text"));
    const step = stepOf();
    const count = step === 0 ? trace.first : trace.steps[step - 1].tokens;
    root.classList.toggle("bpe-compact", Boolean(get("compact")));
    if (!problem && box.input.value.replace(/\r\n?/g, "\n") !== text.replace(/\r\n?/g, "\n")) {
      box.input.value = text;
    }
    box.input.rows = get("compact") ? 1 : 2;
    line.hidden = problem !== "";
    drawGroups(step, count);
    slider.set({
      max: last(),
      value: step,
      text: `${step} of ${last()}`,
      label: `Merges applied: ${step} of ${last()}`,
    });
    slider.input.disabled = idle();
    for (const button of [previous, next, playButton]) button.set();
    live.say(sentence(step));
    upcoming.textContent = after(step);
    upcoming.classList.toggle("bpe-pending", step < last() && !problem);
    drawStats(count);
    table.update();
  }

  function onData() {
    tokenizer = bpe.makeTokenizer(model.get("data"));
    text = null;
    for (const group of groups) group.el.remove();
    groups = [];
    explain();
  }
  explain();
  return traits.start(play, live, table, { stop: () => sizes.disconnect() });
}

export default { render };
