// A link to a widget as a reader has set it: its changed traits in the address of the page.
//
//     ...?toy=positional_waves&toy.position=7&toy.view=similarity
//
// In a page only: in Jupyter there is no page to link to. What comes by link may come from anybody. A
// value is taken only where kit.mount says that it fits; all others are ignored.

import * as kit from "./kit.js";

const MARK = "toy";
const LONGEST = 1000; // characters of one value: an address is no place for a book

/** What the page's address wants of a widget: trait -> value, which may be anything; or null. */
function wantedOf(name, state) {
  const query = new URLSearchParams(location.search);
  if (query.get(MARK) !== name) return null;
  const found = {};
  for (const [trait, like] of Object.entries(state)) {
    const text = query.get(`${MARK}.${trait}`);
    if (text === null || text.length > LONGEST) continue;
    try {
      found[trait] = typeof like === "string" ? text : JSON.parse(text);
    } catch {
      // no value
    }
  }
  return found;
}

/**
 * A widget's link: { isHere, button }. isHere says whether the page's address is one to this widget;
 * then the widget starts as the link says. button copies the address of the widget as it is then.
 */
export function link({ model, name }) {
  const start = {}; // the traits that a link may change, as the page has them
  let fit = () => false;
  let isHere = false;

  model.share = (traits, fits) => {
    fit = fits;
    for (const trait of traits) start[trait] = model.get(trait);
    const wanted = wantedOf(name, start);
    isHere = wanted !== null;
    for (const trait of traits) {
      if (isHere && fits(trait, wanted[trait], start[trait])) model.set(trait, wanted[trait]);
    }
  };

  /** The address of the widget as it is now, and the traits that do not fit into it. */
  function address() {
    const url = new URL(location.href);
    for (const each of [...url.searchParams.keys()]) {
      if (each === MARK || each.startsWith(`${MARK}.`)) url.searchParams.delete(each);
    }
    url.hash = "";
    url.searchParams.set(MARK, name);
    const left = [];
    for (const [trait, like] of Object.entries(start)) {
      const value = model.get(trait);
      const text = typeof like === "string" ? value : JSON.stringify(value);
      if (text === (typeof like === "string" ? like : JSON.stringify(like))) continue;
      if (text.length <= LONGEST && fit(trait, value, like)) {
        url.searchParams.set(`${MARK}.${trait}`, text);
      } else left.push(trait);
    }
    return { url: url.href, left };
  }

  const { el, set } = kit.button({
    label: "Copy link",
    icon: "link",
    async onPress() {
      el.focus(); // not every browser does it at a press
      const { url, left } = address();
      const but = left.length ? `, without ${left.join(", ")}` : "";
      try {
        await navigator.clipboard.writeText(url);
      } catch {
        prompt("The link to copy:", url); // where a page may not write to the clipboard
      }
      set({ label: `Link copied${but}`, text: true });
    },
  });
  el.addEventListener("blur", () => set({ label: "Copy link", text: false })); // once it is left
  el.setAttribute("aria-live", "polite");
  return {
    button: el,
    get isHere() {
      return isHere;
    },
  };
}
