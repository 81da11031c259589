// The levels of energy that TemperatureLab draws: one for each token, as high as its energy −z.
//
// A level is a thin line; a thick line on it says how much of the probability sits there. A bracket
// on the left reaches as far up as the temperature: a level at its end has e⁻¹ of what the lowest
// has. Heights are pixels, so that names can make room for each other.

import * as kit from "../kit/kit.js";
const { h } = kit;

const HEIGHT = 260; // as in view.css
const [TOP, BOTTOM] = [12, 248]; // of the highest and the lowest level
const ROOM = 19; // from one name to the next
const LEAD = 20; // the width of the lines from levels to names
const MOST = Math.floor(HEIGHT / ROOM); // names that there is room for

const number = (energy) => kit.format(energy, 2).replace("-", "−").replace(/^−0\.00$/, "0.00");

/** Heights near those wanted, which go down the list, and at least ROOM apart. */
function apart(wanted) {
  const found = [];
  wanted.forEach((y, i) => found.push(i ? Math.max(y, found[i - 1] + ROOM) : Math.max(y, 9)));
  let limit = HEIGHT - 9;
  for (let i = found.length - 1; i >= 0; i -= 1) {
    found[i] = Math.min(found[i], limit);
    limit = found[i] - ROOM;
  }
  return found;
}

/** The picture: { el, draw({ names, energies, shares, kept, temperature }) }, lowest level first. */
export function picture() {
  const reach = h("div", { class: "tl-reach" });
  const lines = h("div", { class: "tl-lines" });
  const leads = h("svg", { class: "tl-leads", width: LEAD, height: HEIGHT });
  const labels = h("div", { class: "tl-labels" });
  const scale = h("p", { class: "pf-note" });
  const el = h(
    "div",
    { class: "tl-levels", "aria-hidden": "true" },
    h("p", { class: "tl-title" }, "Energy E = −z, and how full each level is"),
    h("div", { class: "tl-box" }, reach, lines, leads, labels),
    scale,
  );
  let made = "";
  let levels = [];
  let [lowest, span] = [0, 0];

  const y = (energy) => BOTTOM - (span ? (energy - lowest) / span : 0) * (BOTTOM - TOP);

  function build(names, energies) {
    const finite = energies.filter(Number.isFinite);
    lowest = finite[0];
    span = finite.at(-1) - lowest;
    levels = finite.map((energy) => {
      const [full, kept] = ["tl-full", "tl-kept"].map((kind) => h("i", { class: kind }));
      const line = h("div", { class: "tl-level" }, full, kept);
      line.style.top = `${y(energy)}px`;
      return { line, full, kept };
    });
    lines.replaceChildren(...levels.map(({ line }) => line));
    const named = finite.slice(0, MOST).reverse(); // from the top down
    const places = apart(named.map(y));
    leads.replaceChildren(
      ...named.map((energy, i) =>
        h("line", { x1: 0, y1: y(energy), x2: LEAD - 3, y2: places[i] }),
      ),
    );
    labels.replaceChildren(
      ...places.map((top, i) => {
        const name = names[named.length - 1 - i];
        const text = h("span", { class: "tl-label", title: name }, h("b", {}, number(named[i])), name);
        text.style.top = `${top}px`;
        return text;
      }),
    );
  }

  function draw({ names, energies, shares, kept, temperature }) {
    const key = JSON.stringify([names, energies]);
    if (key !== made) build(names, energies);
    made = key;
    levels.forEach((level, i) => {
      level.full.style.width = `${100 * shares[i]}%`;
      level.kept.hidden = !kept;
      if (kept) level.kept.style.width = `${100 * kept[i]}%`;
    });
    const end = Math.max(TOP, y(lowest + temperature));
    reach.style.top = `${span ? end : TOP}px`;
    reach.style.height = `${BOTTOM - (span ? end : TOP)}px`;
    reach.classList.toggle("tl-frozen", temperature === 0);
    reach.classList.toggle("tl-beyond", temperature > span);
    scale.textContent = temperature
      ? "The bracket is τ high: where it ends, a level holds 0.37 (e⁻¹) of what the lowest holds."
      : "At τ = 0 all is in the lowest level.";
  }
  return { el, draw };
}
