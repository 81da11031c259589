// What the widgets of the course draw with: elements, labelled controls, a live region, a table; and
// state.js, what they keep.
//
// Text reaches the page through textContent only: nothing that a reader types is ever HTML.

import * as state from "./state.js";

let serial = 0;

/** An id that no other element of the page has. */
export function uid() {
  return `pf-${Date.now().toString(36)}-${(serial += 1)}`;
}

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "circle", "line", "polyline", "text"]);

/**
 * Make an element: h("p", { class: "x", onclick: f }, "text", child, ...).
 * A property that starts with "on" is a listener; such that are false, null or undefined
 * are left out, and so are children that are null or undefined.
 */
export function h(tag, properties = {}, ...children) {
  const svg = SVG_TAGS.has(tag);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * The part of a path that draws a dot, where its style sheet has round ends. It is not quite without
 * length: what has none Firefox draws as a bar to another place as soon as CSS zoom is not 1.
 */
export const dot = (x, y) => `M${x} ${y}h.01`;

// A view's state, from state.js: what every view asks for here.
export const clamp = state.clamp;
export const within = state.within;
export const oneOf = state.oneOf;
export const mount = state.mount;

/**
 * The widget's card: a named group that holds everything. Where every widget has room, in the place
 * of "Show as table", stand the tools, .pf-tools, which no line breaks apart: that button, and full
 * screen, where the browser grants it.
 */
export function card(el, name, ...children) {
  const title = h("p", { class: "pf-title" }, name);
  const question = h("p", { class: "pf-title pf-asks" });
  const root = h("div", { class: "pf-card", role: "group", "aria-label": name }, title, question);
  root.append(...children.filter(Boolean));
  const tools = h("span", { class: "pf-tools" });
  const table = root.querySelector(".pf-table-toggle");
  if (table) {
    table.replaceWith(tools);
    tools.append(table);
  } else root.append(tools);
  if (document.fullscreenEnabled) tools.append(fullScreen(root, question));
  el.replaceChildren(root);
  return root;
}

/** A button that shows the card alone on the screen, large, below the words that ask for it. */
function fullScreen(root, question) {
  const isOn = () => document.fullscreenElement === root;
  const label = () => (isOn() ? "Leave full screen" : "Full screen");
  const leave = () => isOn() && document.exitFullscreen();
  const enter = () => root.requestFullscreen().catch(() => (el.hidden = true)); // refused
  const { el, set } = button({
    label: label(),
    icon: "expand",
    onPress: () => (isOn() ? leave() : enter()),
  });
  root.addEventListener("keydown", ({ key }) => key === "Escape" && leave());
  root.addEventListener("fullscreenchange", () => {
    const above = root.closest(".cell")?.previousElementSibling;
    question.textContent = above?.matches("p") ? above.textContent : "";
    root.style.zoom = "";
    if (isOn()) {
      const end = Math.max(...[...root.children].map((each) => each.getBoundingClientRect().bottom));
      const least = innerWidth < 800 ? 1 : 0.8; // rather a little small than cut off below
      root.style.zoom = clamp(Math.min(innerWidth / 800, innerHeight / (end + 20)), least, 2);
    }
    set({ label: label(), icon: isOn() ? "shrink" : "expand" });
  });
  return el;
}

const ICONS = {
  expand: "M3 3h7v3H6v4H3zM14 3h7v7h-3V6h-4zM3 14h3v4h4v3H3zM18 14h3v7h-7v-3h4z",
  shrink: "M7 3h3v7H3V7h4zM14 3h3v4h4v3h-7zM3 14h7v7H7v-4H3zM14 14h7v3h-4v4h-3z",
  table: "M3 4h18v16H3zM5 9v3h6V9zM13 9v3h6V9zM5 14v4h6v-4zM13 14v4h6v-4z",
  link: "M3 7h8v3H6v4h5v3H3zM13 7h8v10h-8v-3h5v-4h-5zM8 10.5h8v3H8z",
  previous: "M15.6 3.8 7.4 12l8.2 8.2 2-2L11.4 12l6.2-6.2z",
  next: "M8.4 3.8l8.2 8.2-8.2 8.2-2-2 6.2-6.2-6.2-6.2z",
  play: "M6 3v18l15-9z",
  pause: "M5 3h5v18H5zM14 3h5v18h-5z",
};

/**
 * A button: { el, set({ label, icon, text }) }. With an icon alone, the label is its name.
 * when() says whether it can be pressed: each press asks, for it may come before a frame, and each
 * set(), which shows it. A button that cannot be pressed keeps the focus and does nothing: a reader
 * who steps by keyboard to the end is not thrown out of the widget.
 */
export function button({ label, icon, text = !icon, when = () => true, onPress }) {
  const shown = {};
  const press = () => when() && onPress();
  const el = h("button", { type: "button", class: "pf-button", onclick: press });
  const set = (changes = {}) => show({ ...changes, disabled: !when() });
  function show(changes) {
    if (Object.entries(changes).every(([key, value]) => shown[key] === value)) return;
    Object.assign(shown, changes);
    const path = ICONS[shown.icon];
    const picture = path
      ? h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: path }))
      : null;
    el.replaceChildren(...[picture, shown.text ? shown.label : null].filter(Boolean));
    el.classList.toggle("pf-icon-only", !shown.text);
    if (!shown.text) {
      el.setAttribute("aria-label", shown.label);
      el.title = shown.label;
    } else el.removeAttribute("aria-label");
    el.setAttribute("aria-disabled", shown.disabled);
  }
  show({ label, icon, text, disabled: false });
  return { el, set };
}

// JupyterLab takes arrow keys for itself (they fold headings) unless a control asks it not to.
export const OWN_KEYS = { "data-lm-suppress-shortcuts": true };

const SAID = "aria-valuetext";

/**
 * A labelled slider: { el, input, label, set({ value, max, text, label }) }; text is what its value
 * means. What stays as it is is not written again: the page would be laid out anew.
 */
export function slider({ label, min = 0, max = 1, step = 1, value = min, onInput }) {
  const id = uid();
  const input = h("input", { type: "range", id, min, max, step, value, ...OWN_KEYS });
  input.addEventListener("input", () => onInput(input.valueAsNumber));
  const name = h("label", { class: "pf-label", for: id }, label);
  function set({ value: next, max: most, text, label: title }) {
    if (most !== undefined && Number(input.max) !== most) input.max = most;
    if (next !== undefined && input.valueAsNumber !== next) input.value = next;
    if (text !== undefined && input.getAttribute(SAID) !== text) input.setAttribute(SAID, text);
    if (title !== undefined && name.textContent !== title) name.textContent = title;
  }
  return { el: h("div", { class: "pf-slider" }, name, input), input, label: name, set };
}

/**
 * A sentence that says what changed: shown at once, spoken once the reader pauses, so that a
 * dragged slider does not talk without end.
 */
export function liveRegion(delay = 400) {
  const shown = h("p", { class: "pf-sentence", "aria-hidden": "true" });
  const spoken = h("p", { class: "pf-sr-only", role: "status", "aria-live": "polite" });
  let timer;
  let said;
  function say(sentence) {
    if (sentence === said) return;
    said = sentence;
    shown.textContent = sentence;
    clearTimeout(timer);
    timer = setTimeout(() => (spoken.textContent = sentence), delay);
  }
  return { el: h("div", {}, shown, spoken), say, stop: () => clearTimeout(timer) };
}

/**
 * The numbers behind a picture, one press away: a button and tables that are built only while open.
 * tables() returns [{ caption, columns, rows, current }]; a column that starts with "#" holds
 * numbers; current is the index of a row to mark. update() redraws soon, not now.
 */
export function tableToggle(tables) {
  const box = h("div", { id: uid(), hidden: true });
  const toggle = button({ label: "Show as table", icon: "table", onPress: () => open(box.hidden) });
  toggle.el.classList.add("pf-table-toggle");
  toggle.el.setAttribute("aria-controls", box.id);
  toggle.el.setAttribute("aria-expanded", "false");
  let timer;
  function draw() {
    box.replaceChildren(...tables().map(table));
  }
  function open(wanted) {
    box.hidden = !wanted;
    toggle.el.setAttribute("aria-expanded", String(wanted));
    toggle.set({ label: wanted ? "Hide table" : "Show as table" });
    if (wanted) draw();
    else box.replaceChildren();
  }
  function update() {
    clearTimeout(timer);
    if (!box.hidden) timer = setTimeout(draw, 120);
  }
  return { button: toggle.el, box, update, stop: () => clearTimeout(timer) };
}

function table({ caption, columns, rows, current }) {
  const number = columns.map((column) => column.startsWith("#"));
  const cell = (tag, text, i, more = {}) =>
    h(tag, { class: number[i] && "pf-number", ...more }, String(text));
  const head = columns.map((name, i) => cell("th", name.replace(/^#/, ""), i, { scope: "col" }));
  const body = rows.map((row, r) =>
    h("tr", { "aria-current": r === current && "step" }, row.map((text, i) => cell("td", text, i))),
  );
  return h(
    "div",
    { class: "pf-table-box", tabindex: "0", role: "group", "aria-label": caption },
    h(
      "table",
      { class: "pf-table" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, body),
    ),
  );
}

/** Let a box that scrolls sideways be reached by the Tab key, while it does: { stop }. */
export function reachable(box) {
  const sizes = new ResizeObserver(() => {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  sizes.observe(box);
  return { stop: () => sizes.disconnect() };
}

/** Call tick every so many milliseconds until it returns false: { playing, toggle, stop }. */
export function player({ tick, every, onChange }) {
  let timer = 0;
  function stop() {
    if (!timer) return;
    clearTimeout(timer);
    timer = 0;
    onChange?.(false);
  }
  function next() {
    const now = timer;
    if (tick() === false) stop();
    else if (timer === now) timer = setTimeout(next, every()); // unless tick has stopped it
  }
  function toggle() {
    if (timer) return stop();
    timer = setTimeout(next, 0);
    onChange?.(true);
  }
  return { playing: () => timer !== 0, toggle, stop };
}

const formats = new Map(); // digits -> its formatter: making one takes longer than all it writes

/** A number for people: 1,204 or 2.67. */
export function format(number, digits = 0) {
  if (!formats.has(digits)) {
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    formats.set(digits, new Intl.NumberFormat("en", fraction));
  }
  return formats.get(digits).format(number);
}

/** "1 token", "1,024 tokens" */
export const many = (count, word) => `${format(count)} ${word}${count === 1 ? "" : "s"}`;
