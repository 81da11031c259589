// A button for each word of a second sentence: the word takes its vector from there, or gives it back.

import * as kit from "../kit/kit.js";
const { h } = kit;

/**
 * The buttons: { el, draw(place, fits) }. names are the words of the donor, and place is the one that
 * is pressed, or null; they are hidden where no vector fits. onChoose hears of a place, or of null from
 * the button that was pressed before.
 */
export function swaps(donor, names, onChoose) {
  let chosen = null;
  const choose = (i) => onChoose(i === chosen ? null : i);
  const buttons = names.map((label, i) => kit.button({ label, onPress: () => choose(i) }).el);
  const label = `Take one vector from “${donor}”`;
  const el = h("div", { class: "pf-row tl-foot", role: "group", "aria-label": label }, `From “${donor}”:`, buttons);

  function draw(place, fits) {
    chosen = place;
    el.hidden = !fits;
    buttons.forEach((each, i) => each.setAttribute("aria-pressed", i === place));
  }
  return { el, draw };
}
