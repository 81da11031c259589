// How axe-core is asked (axe.py); `include` are the elements to look into, `options` are axe's own.

const LOOKS = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight",
  "textShadow", "visibility"];
// The attributes by which one element speaks of another.
const REFERENCES = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns",
  "aria-details", "aria-errormessage", "aria-activedescendant", "for", "headers", "list"];
const lookOf = (style, names) => names.map(name => style[name]).join();

/** Show in place of each block of code a copy that has one word of every look, and the others as
    text; return what undoes it.

    Of the words, coloured one by one, that look alike in one block, one tells the contrast of all;
    and a word that has a colour and no more is nothing to the other rules. The text stays. All
    looks and how far each block is scrolled are asked for before anything is changed, and nothing is
    scrolled that was not: each question after a change is a new layout of the whole page. */
function thinOutCode() {
  const alike = [...document.querySelectorAll("pre")].map(code => {
    const looks = new Set();
    const scrolled = code.scrollLeft;
    return [code, scrolled, [...code.querySelectorAll("*")].map(word => {
      if (word.localName !== "span" || word.children.length || word.childNodes.length !== 1) return;
      if ([...word.attributes].some(each => each.name !== "class")) return;
      const look = lookOf(getComputedStyle(word), LOOKS);
      return looks.size === looks.add(look).size;
    })];
  });
  return alike.filter(([, , words]) => words.includes(true)).map(([code, scrolled, words]) => {
    const copy = code.cloneNode(true);
    [...copy.querySelectorAll("*")].forEach((word, at) => words[at] && word.replaceWith(word.firstChild));
    code.replaceWith(copy);
    return () => { copy.replaceWith(code); if (scrolled) code.scrollLeft = scrolled; };
  });
}

const seen = el => el.checkVisibility({ visibilityProperty: true });

/** Take out what is not drawn, such as what is folded away, unless something drawn speaks of it; return
    what undoes it. axe-core says nothing of it, but looks at each of its elements, thousands on a page. */
function takeOutHidden() {
  const named = new Set(REFERENCES.flatMap(name => [...document.querySelectorAll(`[${name}]`)]
    .flatMap(el => el.getAttribute(name).split(/\s+/))));
  const found = [];
  const look = el => {
    if (el.matches("script, style, svg, math, select") || include.includes(el)) return;
    const all = [el, ...el.querySelectorAll("*")];
    if (seen(el) || all.some(seen)) [...el.children].forEach(look);
    else if (all.length > 20 && !all.some(({ id }) => named.has(id))) found.push(el);
  };
  look(document.body);
  const places = found.map(() => document.createComment(""));
  found.forEach((el, at) => el.replaceWith(places[at]));
  return () => found.forEach((el, at) => places[at].replaceWith(el));
}

/** Mark what is to be asked for its contrast: all but what has the colours of something before it.

    A text has the colours of its own style and of all styles around it. Where each of these is as it
    is at an earlier text, so is the contrast. What is placed by its position, and so may lie on
    anything, is like nothing else; nor is anything inside it like anything outside. A text that is
    not drawn tells nothing of one that is. */
function markUnlike() {
  const names = [...LOOKS, "filter", "mixBlendMode", "float"];
  const numbers = new Map(), of = new Map(), shown = new Set();
  for (const el of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(el);
    let look = `${of.get(el.parentElement)} ${lookOf(style, names)}`;
    const still = style.position === "static"
      || style.position === "relative" && /^(0px|auto)+$/.test(style.top + style.left);
    if (!still || style.transform !== "none") look += numbers.size;
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    of.set(el, numbers.get(look));
    const control = el.matches("input, textarea, select, img, canvas");
    const text = [...el.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!include.some(each => each.contains(el)) || !el.checkVisibility()) continue;
    if (!control && (!text || shown.has(of.get(el)))) continue;
    shown.add(of.get(el));
    el.setAttribute("data-test-unlike", "");
  }
}

/** Lay out the sections that rest far from the screen (rest.js); return what undoes it. Their elements
    would otherwise be looked at where they were last drawn, and something else may be there by now. */
function wakeAll() {
  const sheet = document.createElement("style");
  sheet.textContent = ".bd-article .pf-rests { content-visibility: visible !important; }";
  document.head.append(sheet);
  return () => sheet.remove();
}

async function run() {
  const undo = [wakeAll(), takeOutHidden(), ...thinOutCode()];
  if (options.rules?.["color-contrast"]?.enabled !== false) markUnlike(); // it costs a third of all
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-test-unlike]" }] });
  const result = await axe.run({ include }, options);
  for (const el of document.querySelectorAll("[data-test-unlike]"))
    el.removeAttribute("data-test-unlike");
  undo.forEach(each => each());
  return result.violations;
}
