// EmbeddingLookup: an ID picks a row of a table, which is the same as a one-hot row times the table.
//
// The product is worked out here, term by term, and not copied from the table.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as scales from "../kit/scales.js";
const { h } = kit;

const PROMPT = [
  "Choose a token.",
  "Its ID picks one row, and a product with zeros and a 1 picks the same.",
];
const DIGITS = 2;
const PACE = 1400; // milliseconds a token stays lit while it plays

const number = (value) => kit.format(Math.abs(value) < 0.005 ? 0 : value, DIGITS).replace("-", "−");
const sixth = (value) => String(Number(value.toFixed(6)) + 0).replace("-", "−"); // 0.4, not 0.400000
const list = (places) => places.join(", ").replace(/, (?=[^,]*$)/, " and ");

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { tokens, ids, vocabulary } = model.get("data");
  const last = tokens.length - 1;
  const width = model.get("table")[0].length;
  let view = "table";

  const checks = { place: kit.within(0, last), column: kit.within(0, width - 1) };
  const traits = kit.mount({ model, traits: ["table", "place", "column"], draw, checks });
  const { set } = traits;
  const place = () => traits.get("place");

  const play = kit.player({
    tick() {
      set({ place: place() + 1 });
      return place() < last;
    },
    every: () => PACE,
    onChange: (on) => playButton.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Play" }),
  });
  const playButton = kit.button({
    label: "Play",
    icon: "play",
    onPress() {
      if (!play.playing() && place() === last) set({ place: 0 });
      play.toggle();
    },
  });
  const picker = choices.choice({
    label: "Token to look up",
    options: tokens.map((token, p) => [p, token]),
    value: place(),
    onChoose: (chosen) => (play.stop(), set({ place: Number(chosen) })),
  });
  picker.el.classList.add("look-tokens");
  const chips = [...picker.el.querySelectorAll("label")];
  chips.forEach((chip, p) => chip.append(h("small", {}, ` ID ${ids[p]}`)));

  const slider = kit.slider({
    label: "Add up column",
    max: width - 1,
    onInput: (column) => set({ column }),
  });
  slider.el.hidden = width === 1;
  const views = choices.choice({
    label: "Show in the rows",
    options: [
      ["table", "As they are"],
      ["products", "Times 0 or 1"],
    ],
    value: view,
    onChoose: (chosen) => ((view = chosen), traits.redraw()),
  });
  const live = kit.liveRegion();
  const table = kit.tableToggle(tables);
  const sum = h("p", { class: "look-sum" });

  // The grid: a heading, a line for each row of the table, and the sums.
  const cell = (kind, text = "") => h("span", { class: `look-cell ${kind}` }, text);
  const perColumn = (kind) =>
    Array.from({ length: width }, (_, c) => {
      const span = cell(kind);
      span.addEventListener("click", () => set({ column: c })); // as the slider does
      return span;
    });
  const heads = perColumn("look-head look-column");
  heads.forEach((head, c) => (head.textContent = c));
  const lines = vocabulary.map((word, id) => ({
    name: h("span", { class: "look-name" }, h("b", {}, String(id)), ` ${word}`),
    weight: cell("look-weight"),
    cells: perColumn("look-value look-column"),
  }));
  const sums = perColumn("look-value look-result look-column");
  const grid = h(
    "div",
    { class: "look-grid", style: `--look-width: ${width}` },
    h("span", { class: "look-name look-head" }, "ID, token"),
    cell("look-head", "one-hot"),
    heads,
    lines.flatMap(({ name, weight, cells }) => [name, weight, ...cells]),
    h("span", { class: "look-name look-total" }, "sum of each column"),
    sums,
  );
  const box = h("div", { class: "look-box", role: "group", "aria-label": "The table" }, grid);

  const root = kit.card(
    el,
    "Embedding lookup",
    prompts.prompt(...PROMPT),
    h("div", { class: "look-pick" }, picker.el, playButton.el),
    live.el,
    box,
    sum,
    h(
      "div",
      { class: "look-foot" },
      slider.el,
      h("div", { class: "look-actions" }, views.el, table.button),
    ),
    table.box,
  );

  const ground = scales.ground(root, traits.redraw);
  const oneHot = (id) => vocabulary.map((_, row) => (row === id ? 1 : 0));

  /** The one-hot row times the table, each column a sum over all rows. */
  function product(weights, rows) {
    return rows[0].map((_, c) => rows.reduce((total, row, r) => total + weights[r] * row[c], 0));
  }

  function paint(span, value, limit) {
    const [scale, dark] = [`${limit} ${ground.dark()}`, ground.dark()];
    if (Number(span.dataset.value) === value && span.dataset.scale === scale) return;
    const colour = scales.signed(value, limit, dark);
    span.dataset.value = value;
    span.dataset.scale = scale;
    span.textContent = number(value);
    span.style.background = scales.css(colour);
    span.style.color = scales.inkOn(colour);
  }

  function sentence(at, column, total) {
    const id = ids[at];
    const twins = ids.flatMap((other, p) => (other === id && p !== at ? [p] : []));
    const where = `“${tokens[at]}” at position ${at} has ID ${id}`;
    const gone = `${vocabulary.length - 1} of the ${vocabulary.length} rows become zeros`;
    const what =
      view === "table"
        ? `row ${id} lights up${twins.length ? `, the same as at position ${list(twins)}` : ""}`
        : `times 1, row ${id} stays as it is; times 0, ${gone}`;
    return `${where}: ${what}. Column ${column} adds up to ${number(total)}.`;
  }

  function drawSum(weights, rows, column, total) {
    const terms = rows.flatMap((row, r) => [
      r === 0 ? "" : " + ",
      h(weights[r] ? "strong" : "span", {}, `${weights[r]} × ${number(row[column])}`),
    ]);
    sum.replaceChildren(`Column ${column}: `, ...terms, " = ", h("strong", {}, number(total)));
  }

  function tables() {
    const at = place();
    const rows = traits.get("table");
    const weights = oneHot(ids[at]);
    const columns = Array.from({ length: width }, (_, c) => `#Column ${c}`);
    const line = (row) => row.map(sixth);
    return [
      {
        caption: `One-hot row of “${tokens[at]}” times the table`,
        columns: ["#ID", "Token", "#One-hot", ...columns],
        rows: [
          ...rows.map((row, r) => [r, vocabulary[r], weights[r], ...line(row)]),
          ["", "sum", "", ...line(product(weights, rows))],
        ],
        current: ids[at],
      },
    ];
  }

  function draw() {
    const { place: at, column, table: rows } = traits.all();
    const id = ids[at];
    const weights = oneHot(id);
    const totals = product(weights, rows);
    const limit = Math.max(...rows.flat().map(Math.abs)) || 1;
    picker.set(String(at));
    chips.forEach((chip, p) => chip.classList.toggle("look-twin", ids[p] === id && p !== at));
    heads.forEach((head, c) => head.classList.toggle("look-chosen", c === column));
    lines.forEach(({ name, weight, cells }, r) => {
      const lit = r === id;
      weight.textContent = `${weights[r]} ×`;
      weight.dataset.value = weights[r];
      for (const each of [name, weight, ...cells]) each.classList.toggle("look-lit", lit);
      cells.forEach((each, c) => {
        paint(each, view === "table" ? rows[r][c] : weights[r] * rows[r][c] + 0, limit);
        each.classList.toggle("look-chosen", c === column);
      });
    });
    sums.forEach((each, c) => {
      paint(each, totals[c], limit);
      each.classList.toggle("look-chosen", c === column);
    });
    slider.set({ value: column, text: `column ${column}`, label: `Add up column: ${column}` });
    drawSum(weights, rows, column, totals[column]);
    live.say(sentence(at, column, totals[column]));
    table.update();
  }

  return traits.start(play, live, table, ground, kit.reachable(box));
}

export default { render };
