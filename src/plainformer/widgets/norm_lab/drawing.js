// What NormLab draws: a group of bars, with marks where they were before.

import * as kit from "../kit/kit.js";
const { h } = kit;

const WIDTH = 220;
const HALF = 92; // from the zero line to the top of a group
const ROOM = 16; // for a number above the longest bar, and for a name below
const LONGEST = 9; // letters of a name that fit below a bar

const round = (number) => String(Math.round(number * 10) / 10);
const shorten = (name, most) =>
  [...name].length > most ? `${[...name].slice(0, most - 1).join("")}…` : name;

/** Set an attribute unless it is so already: what does not move is not painted again. */
function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * A group of bars: { el, draw(values, marks, limit) }; limit is the value of the longest bar. A
 * pointer that is dragged in it tells onMove(feature, value), if there is one.
 */
export function bars({ title, names, kind, text, onMove }) {
  const step = WIDTH / names.length;
  const width = Math.min(36, step * 0.7);
  const most = Math.floor((LONGEST * step * 4) / WIDTH);
  const parts = names.map((name, i) => {
    const middle = (i + 0.5) * step;
    const x = round(middle - width / 2);
    return {
      bar: h("rect", { class: `nl-bar nl-${kind}`, x, width: round(width) }),
      mark: h("line", { class: "nl-mark", x1: round(middle - width / 2 - 4), x2: round(middle + width / 2 + 4) }),
      number: h("text", { class: "nl-number", x: round(middle) }),
      name: h("text", { class: "nl-name", x: round(middle), y: HALF + ROOM + 12 }, shorten(name, most)),
    };
  });
  const svg = h(
    "svg",
    {
      class: onMove ? "nl-bars nl-drag" : "nl-bars",
      viewBox: `0 ${-HALF - ROOM} ${WIDTH} ${2 * (HALF + ROOM) + 16}`,
      "aria-hidden": "true",
    },
    h("line", { class: "nl-zero", x1: 0, x2: WIDTH, y1: 0, y2: 0 }),
    parts.flatMap(({ bar, mark, number, name }) => [bar, mark, number, name]),
  );
  let scale = 1; // of a unit, in the drawing
  let held = 0; // the feature that is dragged

  function place({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    return { feature: kit.clamp(Math.floor(x / step), 0, names.length - 1), value: -y / scale };
  }
  if (onMove) {
    // A finger that moves up and down scrolls the page; it taps, and the bar goes there.
    svg.addEventListener("pointerdown", (event) => {
      if (event.button || event.pointerType === "touch") return;
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      const { feature, value } = place(event);
      held = feature;
      onMove(held, value);
    });
    svg.addEventListener("pointermove", (event) => {
      if (svg.hasPointerCapture(event.pointerId)) onMove(held, place(event).value);
    });
    svg.addEventListener("click", (event) => {
      if (event.pointerType !== "touch") return;
      const { feature, value } = place(event);
      onMove(feature, value);
    });
  }

  function draw(values, marks, limit) {
    scale = HALF / limit;
    parts.forEach(({ bar, mark, number }, i) => {
      const end = -values[i] * scale; // below 0 is up
      put(bar, "y", round(Math.min(0, end)));
      put(bar, "height", round(Math.abs(end)));
      bar.dataset.value = values[i];
      const was = -marks[i] * scale;
      put(mark, "y1", round(was));
      put(mark, "y2", round(was));
      number.textContent = text(values[i]);
      const ends = Math.abs(was - end) < 18 ? [end, was] : [end]; // no mark through the number
      put(number, "y", round(values[i] < 0 ? Math.max(...ends) + 14 : Math.min(...ends) - 5));
    });
  }
  const caption = h("p", { class: "nl-caption" });
  const say = (...lines) => caption.replaceChildren(...lines.map((line) => h("span", {}, line)));
  const el = h("div", { class: "nl-group" }, h("p", { class: "nl-title" }, title), svg, caption);
  return { el, say, draw };
}
