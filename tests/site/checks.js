// What is asked of a page that is open: each function returns a list of problems in words.
// Python runs one by its name (page_checks.py); nothing here is served to a reader.

const seen = el => el.checkVisibility({ visibilityProperty: true }) && el.getClientRects().length > 0;
const words = text => (text ?? "").replace(/\s+/g, " ").trim();

/** A short description by which a person finds the element. */
function describe(el) {
  const id = el.id ? `#${el.id}` : "";
  const classes = [...el.classList].slice(0, 3).map(name => `.${name}`).join("");
  const text = words(el.getAttribute("aria-label") ?? el.textContent).slice(0, 40);
  return `<${el.localName}${id}${classes}> ${text}`.trim();
}

/** The name that a screen reader would read out, as far as attributes and title give it. */
function nameOf(el) {
  const labels = words(el.getAttribute("aria-labelledby")).split(" ").filter(Boolean);
  const labelled = words(labels.map(id => document.getElementById(id)?.textContent).join(" "));
  const title = el.querySelector?.(":scope > title");
  return labelled || words(el.getAttribute("aria-label")) || words(el.getAttribute("alt"))
    || words(title?.textContent) || "";
}

/** Taken out of what is read aloud: marked so, or part of a control that has a name in words. */
function decorative(el) {
  if (el.closest("[aria-hidden=true]") || ["presentation", "none"].includes(el.getAttribute("role")))
    return true;
  const control = el.closest("button, summary, a[href]");
  const silent = el.localName === "svg" ? !el.hasAttribute("role") : el.getAttribute("alt") === "";
  return silent && control && words(control.getAttribute("aria-label") || control.innerText
    || nameOf(el));
}

const empty = /^(image|img|figure|fig|plot|picture|graph|chart|diagram|photo|svg|untitled)?[\s\d.]*$/i;
const fileName = /\.(png|jpe?g|gif|svg|webp)$|^\.*\/|_images\//i;

/** Alternative text of every picture: there, and saying what the picture shows. */
function pictures() {
  const problems = [];
  const judge = (el, name) => {
    if (!name) problems.push(`${describe(el)}: has no alternative text`);
    else if (empty.test(name) || fileName.test(name))
      problems.push(`${describe(el)}: its alternative text ${JSON.stringify(name)} says nothing`);
  };
  for (const el of document.querySelectorAll("img, input[type=image], area"))
    if (!decorative(el)) judge(el, nameOf(el));
  for (const el of document.querySelectorAll("svg")) {
    if (decorative(el) || el.parentElement.closest("svg")) continue;
    if (!el.hasAttribute("role")) problems.push(`${describe(el)}: an svg needs a role or aria-hidden`);
    else judge(el, nameOf(el));
  }
  for (const el of document.querySelectorAll("canvas, object, embed, video"))
    if (!decorative(el)) judge(el, nameOf(el) || words(el.textContent));
  for (const el of document.querySelectorAll("figure")) {
    const inside = [...el.querySelectorAll("img, svg, canvas, [role=img]")].map(nameOf).join("");
    judge(el, words(el.querySelector("figcaption")?.textContent) || nameOf(el) || inside
      || (el.querySelector("table, pre") ? "text of its own" : ""));
  }
  for (const el of document.querySelectorAll("[role=img]:not(svg, img)")) judge(el, nameOf(el));
  return problems;
}

/** What is wider than the window, or than the card of its widget: cut off, or on top of others. */
function overflow() {
  const width = document.documentElement.clientWidth;
  const problems = beyond(document.body, width).map(each => `${each} of ${width} px`);
  for (const card of [...document.querySelectorAll(".pf-card")].filter(seen)) {
    const { right } = card.getBoundingClientRect();
    problems.push(...beyond(card, right).map(each =>
      `${each}, beyond its card, which ends at ${Math.round(right)} px`));
  }
  const whole = document.documentElement.scrollWidth;
  if (whole > width) problems.unshift(`the page is ${whole} px wide in a window of ${width} px: `
    + "let what is too wide wrap, or scroll in a box of its own");
  return [...new Set(problems)];
}

/** The innermost things in `root` that reach beyond an edge, and do not scroll in a box in it. */
function beyond(root, edge) {
  const scrolls = el => {
    for (let up = el.parentElement; up && up !== root; up = up.parentElement) {
      if (["auto", "scroll"].includes(getComputedStyle(up).overflowX)
          && up.getBoundingClientRect().right <= edge + 1) return true;
    }
    return false;
  };
  const reader = el => el.closest(".visually-hidden, .sr-only, [class*=sr-only]")
    || getComputedStyle(el).clipPath !== "none";
  const drawer = el => {
    for (let up = el; up; up = up.parentElement)
      if (getComputedStyle(up).position === "fixed") return true;
    return false;
  };
  const reaches = ({ right, width }) => right > edge + 1 && width > 1; // first: few do, of thousands
  const wide = [...root.querySelectorAll("*")].filter(el => reaches(el.getBoundingClientRect())
    && seen(el) && !el.parentElement.closest("svg") && !scrolls(el) && !reader(el) && !drawer(el));
  const culprits = wide.filter(el => !wide.some(other => el !== other && el.contains(other)));
  return culprits.slice(0, 12).map(el =>
    `${describe(el)}: reaches to ${Math.round(el.getBoundingClientRect().right)}`);
}

/** Formulas that a reader sees as they were typed. Code and what is typed in are left alone. */
function rawFormulas() {
  const typed = /\\[()[\]]|\$\$|\\[a-zA-Z]{2,}/;
  const leaf = "code, pre, script, style, textarea, annotation, [data-pf-widget]";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { data, parentElement: el } = texts.currentNode;
    if (typed.test(data) && !el.closest(leaf) && seen(el)) found.push(words(data).slice(0, 60));
  }
  const some = found.slice(0, 3).join(", ");
  return found.length ? [`${found.length} formulas are shown as they were typed, such as ${some}`] : [];
}

function parseColour(text) {
  const found = /^rgba?\(([^)]+)\)$/.exec(text);
  if (!found) return null;
  const [r, g, b, a = 1] = found[1].split(/[\s,/]+/).filter(Boolean).map(Number);
  return { r, g, b, a };
}

const over = (top, below) => Object.fromEntries(
  [..."rgb"].map(c => [c, top[c] * top.a + below[c] * (1 - top.a)]).concat([["a", 1]]));

function luminance({ r, g, b }) {
  const [x, y, z] = [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function opacity(el) {
  let product = 1;
  for (let up = el; up instanceof SVGElement; up = up.parentElement)
    product *= Number(getComputedStyle(up).opacity);
  return product;
}

/** The pixels of every picture in a drawing, by its element; one that does not load is left out. */
async function pixels() {
  const found = new Map();
  for (const el of document.querySelectorAll("svg image")) {
    const picture = new Image();
    picture.src = el.href.baseVal;
    try {
      await picture.decode();
      const canvas = new OffscreenCanvas(picture.naturalWidth, picture.naturalHeight);
      const context = canvas.getContext("2d");
      context.drawImage(picture, 0, 0);
      found.set(el, context.getImageData(0, 0, canvas.width, canvas.height));
    } catch {} // its colour cannot be told
  }
  return found;
}

/** The colour of a picture at a point of the window, once it is turned and stretched into place. */
function pixel(el, data, x, y) {
  const at = new DOMPoint(x, y).matrixTransform(el.getScreenCTM().inverse());
  const share = side => (side === "x" ? at.x - el.x.baseVal.value : at.y - el.y.baseVal.value)
    / el[side === "x" ? "width" : "height"].baseVal.value;
  const column = Math.min(data.width - 1, Math.max(0, Math.floor(share("x") * data.width)));
  const row = Math.min(data.height - 1, Math.max(0, Math.floor(share("y") * data.height)));
  const [r, g, b, a] = data.data.slice(4 * (row * data.width + column)).slice(0, 4);
  return { r, g, b, a: a / 255 * opacity(el) };
}

/** The colour that an element paints over what is below it, at a point of the window; null where
    that cannot be told. A picture in a drawing paints its pixels, and nothing with its `fill`. */
function paint(el, pictures, x, y) {
  const style = getComputedStyle(el);
  if (!(el instanceof SVGElement) || el.localName === "svg") return parseColour(style.backgroundColor);
  if (el.localName === "image")
    return pictures.has(el) ? pixel(el, pictures.get(el), x, y) : null;
  if (style.fill === "none") return { r: 0, g: 0, b: 0, a: 0 };
  const fill = parseColour(style.fill);
  return fill && { ...fill, a: fill.a * Number(style.fillOpacity) * opacity(el) };
}

/** What lies behind a text at a point of the window; null where that cannot be told. */
function groundOf(el, pictures, x, y) {
  const layers = document.elementsFromPoint(x, y).filter(other =>
    other !== el && !el.contains(other) && !other.contains(el)
    || other.localName === "svg" || other instanceof HTMLElement);
  const below = [];
  for (const layer of layers) {
    if (["text", "tspan", "title"].includes(layer.localName)) continue;
    const painted = paint(layer, pictures, x, y);
    if (!painted) return null;
    below.push(painted);
    if (painted.a === 1) break;
  }
  const white = { r: 255, g: 255, b: 255, a: 1 };
  return below.length ? below.reverse().reduce((under, layer) => over(layer, under), white) : null;
}

/** Text drawn in SVG that stands out too little (axe-core looks at HTML text only). */
async function drawnText() {
  const problems = [];
  const pictures = await pixels();
  for (const el of document.querySelectorAll("svg text")) {
    if (!words(el.textContent) || !seen(el)) continue;
    el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = el.getBoundingClientRect();
    const colour = paint(el);
    const grounds = [0.25, 0.5, 0.75] // along the text, for a heat map changes below it
      .map(share => groundOf(el, pictures, box.x + share * box.width, box.y + box.height / 2))
      .filter(Boolean);
    if (!colour || !grounds.length) continue;
    const size = parseFloat(getComputedStyle(el).fontSize) * (el.getScreenCTM()?.a ?? 1);
    const bold = Number(getComputedStyle(el).fontWeight) >= 700;
    const needed = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    const got = Math.min(...grounds.map(ground => contrast(over(colour, ground), ground)));
    if (got < needed - 0.01)
      problems.push(`${describe(el)}: contrast ${got.toFixed(2)}, needs ${needed}`);
  }
  return [...new Set(problems)];
}

/** Identifiers that stand twice after the scripts have run. */
function repeatedIds() {
  const ids = [...document.querySelectorAll("[id]")].map(el => el.id);
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))].map(id => `id ${id} twice`);
}

/** Does the element with the focus look any different for it? */
function focusShows() {
  const el = document.activeElement;
  const style = getComputedStyle(el);
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
    && (parseColour(style.outlineColor)?.a ?? 1) > 0;
  return ring || style.boxShadow !== "none";
}

const checks = { pictures, overflow, rawFormulas, drawnText, repeatedIds, focusShows };
