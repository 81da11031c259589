// What a reader takes along: the drawing as a picture, its tables as a file for a spreadsheet.
//
// A picture is the drawing itself, each element with the looks that it has on the screen, within an
// SVG, and from there in pixels. Nothing is fetched for it, so a page from a disk can do it as well.

import * as kit from "../kit/kit.js";
const { h } = kit;

const SHARP = 2; // pixels of a picture for one of the screen

const LOOKS = [
  "display", "position", "top", "right", "bottom", "left", "width", "height", "box-sizing",
  "margin", "padding", "border-top", "border-right", "border-bottom", "border-left",
  "border-radius", "background-color", "background-image", "color", "opacity", "visibility",
  "font-family", "font-size", "font-weight", "font-variant-numeric", "line-height", "text-align",
  "text-decoration", "text-overflow", "white-space", "writing-mode", "overflow", "translate",
  "rotate", "grid-template-columns", "grid-template-rows", "grid-column", "grid-row", "gap",
  "align-items", "align-self", "flex-wrap", "image-rendering", "outline", "outline-offset",
  "box-shadow", "fill", "stroke", "stroke-width", "vector-effect",
]; // prettier-ignore

/** Put the looks of an element on its clone. */
function dress(clone, style) {
  clone.setAttribute("style", LOOKS.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  return clone;
}

/** An element with all that is in it, as it looks now; null where it does not show. */
function copy(el) {
  const style = getComputedStyle(el);
  if (style.display === "none") return null;
  const clone = el.localName === "canvas" ? h("img", { src: el.toDataURL() }) : el.cloneNode(false);
  for (const { name } of [...clone.attributes]) {
    if (/^(class|id|role|tabindex|title|aria-.*|data-.*)$/.test(name)) clone.removeAttribute(name);
  }
  for (const each of el.childNodes) {
    const inner = each.nodeType === 1 ? copy(each) : each.cloneNode();
    if (inner) clone.append(inner);
  }
  const after = getComputedStyle(el, "::after");
  if (after.content !== "none" && after.content !== "normal") clone.append(dress(h("span"), after));
  return dress(clone, style);
}

/** The picture of some elements, one below the other, on the ground of their card: an SVG's text. */
function drawn(card, parts) {
  const ground = getComputedStyle(card);
  const boxes = parts.map((each) => each.getBoundingClientRect());
  const wide = Math.ceil(Math.max(...boxes.map(({ width }) => width))) + 32;
  const tall = Math.ceil(boxes.reduce((sum, { height }) => sum + height + 8, 8));
  const page = h("div", {}, parts.map((each) => h("div", { style: "margin:8px 16px 0" }, copy(each))));
  const size = `width:${wide}px;height:${tall}px;box-sizing:border-box;overflow:hidden`;
  page.setAttribute("style", `${size};background:${ground.backgroundColor};color:${ground.color}`);
  const inside = new XMLSerializer()
    .serializeToString(page)
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]/gu, "�"); // no part of XML
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${tall}">`;
  return { svg: `${svg}<foreignObject width="100%" height="100%">${inside}</foreignObject></svg>`, wide, tall };
}

/** Promise [blob, ending]: a PNG, or the SVG where a browser does not give its pixels away. */
export async function picture(card, parts) {
  const { svg, wide, tall } = drawn(card, parts);
  try {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = h("canvas", { width: SHARP * wide, height: SHARP * tall });
    canvas.getContext("2d").drawImage(image, 0, 0, SHARP * wide, SHARP * tall);
    const blob = await new Promise((done) => canvas.toBlob(done));
    if (blob) return [blob, "png"];
  } catch {
    // then as it is
  }
  return [new Blob([svg], { type: "image/svg+xml" }), "svg"];
}

/** A cell of a CSV file. What begins like a formula would be run by a spreadsheet: it is quoted. */
function cell(value, isNumber) {
  const text = String(value);
  if (isNumber && text) return text.replaceAll("−", "-").replaceAll(",", "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Tables, as kit.tableToggle takes them, in one CSV file, with an empty line between them. */
export function csv(tables) {
  const lines = tables.map(({ caption, columns, rows }) => {
    const number = columns.map((name) => name.startsWith("#"));
    const head = columns.map((name) => cell(name.replace(/^#/, ""), false));
    const body = rows.map((row) => row.map((each, i) => cell(each, number[i])).join(","));
    return [cell(caption, false), head.join(","), ...body].join("\r\n");
  });
  return `\ufeff${lines.join("\r\n\r\n")}\r\n`; // the mark tells a spreadsheet that it is UTF-8
}

/**
 * The two buttons, in a row with a word of what was saved. card is what pictures have the ground of,
 * parts() are what is drawn, tables() what a table is made of; name() is the file's, but its ending.
 */
export function saver({ card, parts, tables, name }) {
  const said = h("span", { class: "pf-note", role: "status" });
  let busy = false;
  async function save(make) {
    busy = true;
    const [blob, ending] = await make();
    const file = `${name().replace(/[^\w.]+/g, "-").replace(/-$/, "").slice(0, 80)}.${ending}`;
    const link = h("a", { href: URL.createObjectURL(blob), download: file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // once the browser has taken it
    said.textContent = `Saved: ${file}`;
    busy = false;
  }
  const table = async () => [new Blob([csv(tables())], { type: "text/csv" }), "csv"];
  const button = (label, make) => kit.button({ label, when: () => !busy, onPress: () => save(make) }).el;
  return h("div", { class: "pf-row" }, button("Picture", () => picture(card(), parts())), button("Table as CSV", table), said);
}
