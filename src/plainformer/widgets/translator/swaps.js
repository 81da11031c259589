// A button for each word of a second sentence: the word takes its vector from there, or gives it back.

import * as kit from "../kit/kit.js";
const { h } = kit;

/**
 * The buttons, hidden without a donor: { el, draw(place, fits) }. names are the words of the donor, and
 * place is the one that is pressed, or null. Where the sentence that is read has another length, fits is false, and none can
 * be pressed. onChoose hears of a place, or of null from the button that was pressed before.
 */
export function swaps({ donor, names, onChoose }) {
  let chosen = null;
  let possible = true;
  const buttons = names.map((label, place) =>
    kit.button({
      label,
      when: () => possible,
      onPress: () => onChoose(place === chosen ? null : place),
    }),
  );
  const title = h("span", { id: kit.uid() }, `Take one vector from “${donor}”: `);
  const all = buttons.map((each) => each.el);
  const el = h("div", { class: "pf-row tl-swaps", role: "group", "aria-labelledby": title.id }, title, all);
  el.hidden = !donor;

  function draw(place, fits) {
    [chosen, possible] = [place, fits];
    buttons.forEach((each, i) => {
      each.set();
      each.el.setAttribute("aria-pressed", String(i === place));
    });
  }
  return { el, draw };
}
