// What FeedForwardLab draws: the plane, with a side for each unit and a vector that can be dragged.
//
// Each unit's line has dashes of its own and its number stands on its side; the side of a unit that
// is on is darker. Colour is not what tells them apart.

import * as kit from "../kit/kit.js";
const { h } = kit;

const SIDE = 300; // of the plane
const ROOM = 34; // round it: numbers and names
const LONGEST = 12; // letters of a name that fit on the plane

const round = (number) => String(Math.round(number * 10) / 10);
const shorten = (name) =>
  [...name].length > LONGEST ? `${[...name].slice(0, LONGEST - 1).join("")}…` : name;

/** Set an attribute unless it is so already: what does not move is not painted again. */
function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * The part of a square where x · key + bias is above 0: { corners, edge }, where edge are the two
 * places at which its line meets the frame.
 */
export function sideOf([a, b], bias, low, high) {
  const all = [
    [low, low],
    [high, low],
    [high, high],
    [low, high],
  ];
  const height = all.map(([x, y]) => x * a + y * b + bias);
  const corners = [];
  const edge = [];
  all.forEach((here, i) => {
    const j = (i + 3) % 4; // the corner before
    if (height[i] > 0 !== height[j] > 0) {
      const share = height[j] / (height[j] - height[i]);
      const crossing = all[j].map((part, c) => part + share * (here[c] - part));
      corners.push(crossing);
      edge.push(crossing);
    }
    if (height[i] > 0) corners.push(here);
  });
  return { corners, edge };
}

/**
 * The plane: { el, point(x, on) }; on says which units are on. onMove(x) is told, in tenths, where
 * a pointer wants the vector.
 */
export function plane({ data, onMove }) {
  const { w_up, b_up, features, names, points, span } = data;
  const [low, high] = span;
  const at = ([a, b]) => [a, b].map((each, c) => {
    const share = (each - low) / (high - low);
    return SIDE * (c ? 1 - share : share);
  }); // prettier-ignore
  const path = (places, end) =>
    places.length ? `M${places.map((each) => each.map(round)).join("L")}${end}` : "M0 0";
  const sides = b_up.map((bias, i) => {
    const found = sideOf([w_up[0][i], w_up[1][i]], bias, low, high);
    const [corners, edge] = [found.corners, found.edge].map((places) => places.map(at));
    const [x, y] = [0, 1].map((c) => corners.reduce((sum, each) => sum + each[c], 0) / corners.length);
    const place = corners.length ? { x: round(x), y: round(y + 6) } : {};
    return [
      h("path", { class: "ff-side", d: path(corners, "Z") }),
      h("path", { class: `ff-edge ff-edge-${i}`, d: path(edge, "") }),
      h("text", { class: "ff-number", ...place }, corners.length ? `${i + 1}` : ""),
    ];
  });
  const dots = points.flatMap((point, i) => {
    const [a, b] = at(point);
    const words = shorten(names[i]);
    const anchor = a < 0.2 * SIDE ? "start" : a > 0.8 * SIDE ? "end" : "middle";
    const place = { x: round(a), y: round(Math.max(12, b - 12)) };
    return [
      h("circle", { class: "ff-dot", r: 4, cx: round(a), cy: round(b) }),
      h("text", { class: "ff-name", ...place, "text-anchor": anchor }, words),
    ];
  });
  const whole = [Math.ceil(low), Math.floor(high)];
  const ticks = whole.flatMap((value) => {
    const [a, b] = at([value, value]);
    const text = String(value).replace("-", "−");
    return [
      h("text", { class: "ff-tick", x: round(a), y: SIDE + 18, "text-anchor": "middle" }, text),
      h("text", { class: "ff-tick", x: -8, y: round(b + 5), "text-anchor": "end" }, text),
    ];
  });
  const [across, up] = features.map(shorten);
  const titles = [
    h("text", { class: "ff-tick", x: SIDE / 2, y: SIDE + 22, "text-anchor": "middle" }, `${across} →`),
    h(
      "text",
      { class: "ff-tick", transform: `translate(-16 ${SIDE / 2}) rotate(-90)`, "text-anchor": "middle" },
      `${up} →`,
    ),
  ];
  const vector = h("circle", { class: "ff-vector", r: 9 });
  const handle = h("circle", { class: "ff-handle", r: 26 });
  const el = h(
    "svg",
    {
      class: "ff-plane",
      viewBox: `${-ROOM} -8 ${SIDE + ROOM + 12} ${SIDE + ROOM}`,
      "aria-hidden": "true",
    },
    h("rect", { class: "ff-frame", width: SIDE, height: SIDE }),
    [0, 1, 2].flatMap((part) => sides.map((parts) => parts[part])),
    dots,
    ticks,
    titles,
    vector,
    handle,
  );

  function moveTo({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(el.getScreenCTM().inverse());
    const found = [x, SIDE - y].map((each) => low + (each / SIDE) * (high - low));
    onMove(found.map((each) => kit.clamp(Math.round(10 * each) / 10, low, high)));
  }
  // A mouse may take the vector anywhere on the plane; a finger by the vector itself, or it taps:
  // elsewhere it scrolls the page.
  el.addEventListener("pointerdown", (event) => {
    if (event.button || (event.pointerType === "touch" && event.target !== handle)) return;
    el.setPointerCapture(event.pointerId);
    event.preventDefault();
    if (event.target !== handle) moveTo(event);
  });
  el.addEventListener("pointermove", (event) => {
    if (el.hasPointerCapture(event.pointerId)) moveTo(event);
  });
  el.addEventListener("click", (event) => event.pointerType === "touch" && moveTo(event));

  function point(x, on) {
    const [a, b] = at(x).map(round);
    for (const circle of [vector, handle]) {
      put(circle, "cx", a);
      put(circle, "cy", b);
    }
    sides.forEach((parts, i) => parts.forEach((part) => part.classList.toggle("ff-on", on[i])));
  }
  return { el, point };
}
