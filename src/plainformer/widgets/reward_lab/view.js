// RewardLab: give rewards to sampled answers, or take them away; the advantages follow, and say
// which answers become more likely.

import * as kit from "../kit/kit.js";
import * as choices from "../kit/choice.js";
import * as prompts from "../kit/prompt.js";
import * as formula from "../formulas/advantages.js";
const { h } = kit;

const PROMPT = [
  "Choose what earns a reward, or press an answer.",
  "Arrows say which become more likely.",
];

/** A signed number with a real minus sign. */
const signed = (a) => (a === 0 ? "0" : `${a < 0 ? "−" : "+"}${kit.format(Math.abs(a), 2)}`);

/** Draw the widget in el; returns what stops it. */
function render({ model, el }) {
  const { prompt, answers, rules, labels } = model.get("data");
  const G = answers.length;
  const most = (G - 1) / Math.sqrt(G); // the largest advantage: one answer alone has a reward
  const bits = (text) =>
    typeof text === "string" && text.length === G && !/[^01]/.test(text) ? text : rules.right;
  const traits = kit.mount({ model, traits: ["rewards"], draw, checks: { rewards: bits } });
  const rewards = () => [...traits.get("rewards")].map(Number);

  const rule = choices.choice({
    label: "What earns a reward",
    options: Object.entries(labels),
    value: "right",
    onChoose: (name) => traits.set({ rewards: rules[name] }),
  });

  function flip(i) {
    const next = rewards().map((each, j) => (i === j ? 1 - each : each));
    traits.set({ rewards: next.join("") });
  }

  const rows = answers.map((answer, i) => {
    const box = h("input", {
      type: "checkbox",
      "aria-label": `Reward for answer ${i + 1}, ${answer}`,
      onchange: () => flip(i),
      ...kit.OWN_KEYS,
    });
    const arrow = h("span", { class: "rw-arrow", "aria-hidden": "true" });
    const bar = h("i", {});
    const number = h("span", { class: "rw-number" });
    const digits = [...answer].map((digit) => h("span", { class: "rw-digit" }, digit));
    const row = h(
      "label",
      { class: "rw-row" },
      box,
      h("span", { class: "rw-digits" }, digits),
      arrow,
      h("span", { class: "rw-bar", "aria-hidden": "true" }, bar),
      number,
    );
    return { row, box, arrow, bar, number };
  });

  const live = kit.liveRegion();
  const table = kit.tableToggle(() => {
    const given = rewards();
    const a = formula.groupAdvantages(given);
    return [
      {
        caption: `Answers to ${prompt}, with their rewards and advantages`,
        columns: ["Answer", "#Reward", "#Advantage"],
        rows: answers.map((answer, i) => [answer, given[i], signed(a[i])]),
      },
    ];
  });
  const head = (...names) =>
    h(
      "div",
      { class: "rw-row rw-head", "aria-hidden": "true" },
      names.map((name) => h("span", {}, name)),
    );
  const root = kit.card(
    el,
    "Reward lab: a group of answers and their advantages",
    prompts.prompt(...PROMPT),
    h("div", { class: "rw-rules" }, rule.el),
    h("p", { class: "rw-asked" }, "Sort ", h("b", {}, [...prompt].join(" ")), `: ${G} sampled answers`),
    h("div", { class: "rw-rows" }, head("reward", "answer", "", "advantage", ""), rows.map(({ row }) => row)),
    live.el,
    h("div", { class: "pf-row" }, table.button),
    table.box,
  );

  function sentence(given, a) {
    const rewarded = given.reduce((sum, each) => sum + each, 0);
    if (rewarded === 0 || rewarded === G) {
      const who = rewarded ? `All ${G} answers have a reward` : "No answer has a reward";
      return `${who}, so no answer is better than the mean. All advantages are 0, and nothing is learned.`;
    }
    const up = signed(Math.max(...a));
    const down = signed(Math.min(...a));
    return `${rewarded} of ${G} answers have a reward. Training makes these more likely, with an advantage of ${up}, and the others less likely, with ${down}.`;
  }

  function draw() {
    const given = rewards();
    const a = formula.groupAdvantages(given);
    const now = traits.get("rewards");
    rule.set(Object.keys(rules).find((name) => rules[name] === now));
    rows.forEach(({ row, box, arrow, bar, number }, i) => {
      const way = a[i] > 0 ? "up" : a[i] < 0 ? "down" : "none";
      box.checked = given[i] === 1;
      row.dataset.way = way;
      arrow.textContent = { up: "↑", down: "↓", none: "=" }[way];
      bar.style.width = `${(50 * Math.abs(a[i])) / most}%`;
      number.textContent = signed(a[i]);
    });
    root.dataset.advantages = JSON.stringify(a);
    live.say(sentence(given, a));
    table.update();
  }

  return traits.start(live, table);
}

export default { render };
