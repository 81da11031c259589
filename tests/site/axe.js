// How axe-core is asked (axe.py); `include` are the elements to look into, `options` are axe's own.

const LOOKS = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight",
  "textShadow", "visibility"];
const lookOf = (style, names) => names.map(name => style[name]).join();

/** Show in place of each block of code a copy that has one word of every look, and the others as
    text; return what undoes it.

    Of the words, coloured one by one, that look alike in one block, one tells the contrast of all;
    and a word that has a colour and no more is nothing to the other rules. The text stays. All
    looks are asked for before anything is changed: each question after a change is a new layout. */
function thinOutCode() {
  const alike = [...document.querySelectorAll("pre")].map(code => {
    const looks = new Set();
    return [code, [...code.querySelectorAll("*")].map(word => {
      if (word.localName !== "span" || word.children.length || word.childNodes.length !== 1) return;
      if ([...word.attributes].some(each => each.name !== "class")) return;
      const look = lookOf(getComputedStyle(word), LOOKS);
      return looks.size === looks.add(look).size;
    })];
  });
  return alike.filter(([, words]) => words.includes(true)).map(([code, words]) => {
    const copy = code.cloneNode(true), scrolled = code.scrollLeft;
    [...copy.querySelectorAll("*")].forEach((word, at) => words[at] && word.replaceWith(word.firstChild));
    code.replaceWith(copy);
    return () => { copy.replaceWith(code); code.scrollLeft = scrolled; };
  });
}

// What MathJax writes on the pieces of a formula. Any other attribute may matter to some rule.
const PLAIN = new RegExp("^(class|style|space|size|texclass|justify|display|width|xmlns|stretchy"
  + "|mathvariant|scriptlevel|displaystyle|column(align|spacing)|rowspacing|(min|max)size"
  + "|data-mjx-[a-z-]+)$");

/** Take the pieces out of every formula: half of the elements of a page. Return what undoes it.

    The drawn formula is hidden from screen readers, and its letters are drawn by style sheets: where
    no piece has text, or an attribute that is more than a look, no rule has anything to say of it.
    It keeps its room. The spoken one, cut to one pixel, becomes the text that it is. */
function takeOutFormulas() {
  const plain = part => [...part.querySelectorAll("*")]
    .every(piece => piece.getAttributeNames().every(name => PLAIN.test(name)));
  const drawn = [...document.querySelectorAll("mjx-container > mjx-math[aria-hidden=true]")]
    .filter(part => plain(part) && !part.textContent.trim())
    .map(part => [part, part.getBoundingClientRect()]);
  const spoken = [...document.querySelectorAll("mjx-container > mjx-assistive-mml")]
    .filter(part => plain(part) && getComputedStyle(part).clip === "rect(1px, 1px, 1px, 1px)");
  const empty = drawn.map(([part, { width, height }]) => {
    const copy = part.cloneNode();
    copy.style.cssText += `; display: inline-block; width: ${width}px; height: ${height}px`;
    return [part, copy];
  });
  const text = spoken.map(part => {
    const copy = part.cloneNode();
    copy.textContent = part.textContent;
    return [part, copy];
  });
  return [...empty, ...text].map(([part, copy]) => {
    part.replaceWith(copy);
    return () => copy.replaceWith(part);
  });
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

async function run() {
  const undo = [...thinOutCode(), ...takeOutFormulas()];
  if (options.rules?.["color-contrast"]?.enabled !== false) markUnlike(); // it costs a third of all
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-test-unlike]" }] });
  const result = await axe.run({ include }, options);
  for (const el of document.querySelectorAll("[data-test-unlike]"))
    el.removeAttribute("data-test-unlike");
  undo.forEach(each => each());
  return result.violations;
}
