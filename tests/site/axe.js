// How axe-core is asked (axe.py); `include` are the elements to look into, `options` are axe's own.

const LOOKS = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight",
  "textShadow", "visibility"];
// The attributes by which one element speaks of another.
const REFERENCES = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns",
  "aria-details", "aria-errormessage", "aria-activedescendant", "for", "headers", "list"];
const lookOf = (style, names) => names.map(name => style[name]).join();

/** The looks of an element and of all around it. */
function groundOf(el, known) {
  if (!el) return "";
  if (!known.has(el))
    known.set(el, `${groundOf(el.parentElement, known)} ${lookOf(getComputedStyle(el), LOOKS)}`);
  return known.get(el);
}

/** Show in place of each block of code a copy that has one word of every look, and the others as
    text; return what undoes it.

    Of the words, coloured one by one, that look alike on the same ground, one tells the contrast of
    all; and a word that has a colour and no more is nothing to the other rules. The text stays. All
    looks and how far each block is scrolled are asked for before anything is changed, and nothing is
    scrolled that was not: each question after a change is a new layout of the whole page. */
function thinOutCode() {
  const known = new Map(), looksOn = {};
  const alike = [...document.querySelectorAll("pre")].map(code => {
    const looks = code.checkVisibility() && include.some(each => each.contains(code))
      ? looksOn[groundOf(code, known)] ??= new Set() : new Set();
    const scrolled = code.scrollLeft;
    return [code, scrolled, [...code.querySelectorAll("*")].map(word => {
      if (word.localName !== "span" || word.children.length) return;
      if ([...word.attributes].some(({ name }) => name !== "class" && name !== "style")) return;
      const style = getComputedStyle(word);
      if (style.position !== "static") return;
      return looks.size === looks.add(lookOf(style, LOOKS)).size || !word.textContent;
    })];
  });
  return alike.filter(([, , words]) => words.includes(true)).map(([code, scrolled, words]) => {
    const copy = code.cloneNode(true);
    [...copy.querySelectorAll("*")].forEach((word, at) => words[at] && word.replaceWith(...word.childNodes));
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
    if (seen(el)) return [...el.children].forEach(look);
    const all = [el, ...el.querySelectorAll("*")];
    if (all.some(seen)) [...el.children].forEach(look);
    else if (all.length > 20 && !all.some(({ id }) => named.has(id))) found.push(el);
  };
  look(document.body);
  const places = found.map(() => document.createComment(""));
  found.forEach((el, at) => el.replaceWith(places[at]));
  return () => found.forEach((el, at) => places[at].replaceWith(el));
}

/** Take out the shapes of drawings, and the letters of formulas, that have no name, no part to play
    and nothing inside, and all but the first three of the buttons that copy a block of code; return
    what undoes it. To axe-core one is like the other: how text stands out from shapes is asked by
    checks.js. */
function thinOutAlike() {
  const TOLD = /^(role|tabindex|id|href|aria-|on)/;
  const plain = el => ![...el.attributes].some(({ name }) => TOLD.test(name));
  const shapes = "path, rect, circle, ellipse, line, polyline, polygon, g";
  const empty = el => !el.textContent.trim() && plain(el)
    && [...el.children].every(each => each.matches(shapes) && empty(each));
  const found = [...document.querySelectorAll(`svg :is(${shapes})`)].filter(empty)
    .filter((el, at, all) => !all.includes(el.parentElement))
    .concat([...document.querySelectorAll("button.copybtn")].slice(3));
  const formulas = [...document.querySelectorAll("math")]
    .filter(el => el.children.length && [...el.querySelectorAll("*")].every(plain));
  const places = found.map(() => document.createComment(""));
  const copies = formulas.map(el => Object.assign(el.cloneNode(), { textContent: el.textContent }));
  found.forEach((el, at) => el.replaceWith(places[at]));
  formulas.forEach((el, at) => el.replaceWith(copies[at]));
  return () => {
    found.forEach((el, at) => places[at].replaceWith(el));
    formulas.forEach((el, at) => copies[at].replaceWith(el));
  };
}

/** Mark what is to be asked for its contrast: all but what has the colours of something before it.

    A text has the colours of its own style and of all styles around it. Where each of these is as it
    is at an earlier text, so is the contrast. What is placed by its position, and so may lie on
    anything, is like nothing else; nor is anything inside it like anything outside. A text that is
    not drawn tells nothing of one that is. */
function markUnlike() {
  const names = [...LOOKS, "filter", "mixBlendMode", "float"];
  const numbers = new Map(), of = new Map(), shown = new Set(), grounds = new Set();
  for (const el of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(el);
    let look = `${of.get(el.parentElement)} ${lookOf(style, names)}`;
    const still = style.position === "static"
      || style.position === "relative" && /^(0px|auto)+$/.test(style.top + style.left);
    if (!still || style.transform !== "none") look += numbers.size;
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    of.set(el, numbers.get(look));
    if (!still || !/^(rgba\(.*, 0\)|transparent)$/.test(style.backgroundColor)
      || style.backgroundImage !== "none") grounds.add(el);
    const control = el.matches("input, textarea, select, img, canvas");
    const text = [...el.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!include.some(each => each.contains(el)) || !el.checkVisibility()) continue;
    if (!control && (!text || shown.has(of.get(el)))) continue;
    shown.add(of.get(el));
    el.setAttribute("data-test-unlike", "");
    grounds.add(el);
  }
  return grounds;
}

/** Take out what holds none of these elements, such as a text like an earlier one; return what undoes
    it. Where contrast is all that is asked, they are all that axe-core need see. */
function keepOnly(grounds) {
  const kept = new Set(include);
  for (let el of grounds)
    for (; el && !kept.has(el); el = el.parentElement) kept.add(el);
  const found = [];
  const look = el => {
    if (el.matches("style, link, script")) return;
    if (!kept.has(el)) found.push(el);
    else if (!el.matches("svg, select")) [...el.children].forEach(look);
  };
  [...document.body.children].forEach(look);
  const places = found.map(() => document.createComment(""));
  found.forEach((el, at) => el.replaceWith(places[at]));
  return () => found.forEach((el, at) => places[at].replaceWith(el));
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
  const undo = [wakeAll(), takeOutHidden(), ...thinOutCode(), thinOutAlike()];
  if (options.rules?.["color-contrast"]?.enabled !== false) { // it costs a third of all
    const grounds = markUnlike();
    if (options.runOnly.type === "rule") undo.unshift(keepOnly(grounds));
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-test-unlike]" }] });
  const result = await axe.run({ include }, options);
  for (const el of document.querySelectorAll("[data-test-unlike]"))
    el.removeAttribute("data-test-unlike");
  undo.forEach(each => each());
  return result.violations;
}
