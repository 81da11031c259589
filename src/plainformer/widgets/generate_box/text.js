// The text of a GenerateBox: the prompt, and after it each token that was added, to be chosen.
//
// A token is bytes, and a character may take several tokens. It then stands in the token that
// completes it; those before it show a sign that says so. Bytes that are no character, or not yet,
// show as what they are: <0xE2>.

import * as kit from "../kit/kit.js";
const { h } = kit;

const PART = "⋯"; // stands for bytes of a character that a later token completes
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A token's bytes, as a string with one character a byte. */
export function bytes(name, byteLevel) {
  return byteLevel ? name : String.fromCharCode(...new TextEncoder().encode(name));
}

/** How many bytes a character has that begins with this one; 0 when none does. */
function lengthOf(byte) {
  if (byte < 0x80) return 1;
  if (byte < 0xc2 || byte > 0xf4) return 0;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** The character at a place of some bytes, or null. */
function characterAt(bytes, at) {
  const length = lengthOf(bytes[at]);
  if (length === 1) return String.fromCharCode(bytes[at]);
  if (length === 0 || at + length > bytes.length) return null;
  try {
    return strict.decode(Uint8Array.from(bytes.slice(at, at + length)));
  } catch {
    return null;
  }
}

/** What each of some tokens shows; names are their bytes. */
export function pieces(names) {
  const shown = names.map(() => "");
  const all = [];
  const owners = [];
  names.forEach((name, i) => {
    for (const sign of name) {
      all.push(sign.charCodeAt(0));
      owners.push(i);
    }
  });
  for (let at = 0; at < all.length; ) {
    const character = characterAt(all, at);
    const length = character === null ? 1 : lengthOf(all[at]);
    const last = owners[at + length - 1];
    const hex = all[at].toString(16).toUpperCase().padStart(2, "0");
    shown[last] += character ?? `<0x${hex}>`;
    for (let i = owners[at]; i < last; i += 1) shown[i] += PART;
    at += length;
  }
  return shown;
}

/** Spaces stay, so that the text reads as one; a line break is a sign, and a break. */
const visible = (text) => text.replace(/\r\n|\r|\n/g, "↵\n").replace(/\t/g, "⇥");

function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * The box: { el, draw({ prompt, shown, place, labels }), follow }. shown is what each token shows,
 * place the one that is chosen, or null; labels(i) is how a screen reader names token i.
 * onChoose(place) is called with the place of a token, or null when the chosen one is pressed again,
 * or Escape. A text that is too long for the box is scrolled along as it grows, until the reader
 * scrolls elsewhere; follow() scrolls along again.
 */
export function textOf({ onChoose }) {
  const promptSpan = h("span", { class: "gen-prompt" });
  const tail = h("span", {});
  const el = h(
    "div",
    {
      class: "gen-text",
      role: "group",
      "aria-label": "The text: the prompt, then the tokens that were added",
      "data-lm-suppress-shortcuts": true, // JupyterLab takes arrow keys for itself
      dir: "auto",
    },
    promptSpan,
    tail,
  );
  const spans = []; // one for each token
  let chosen = null;
  let stop = 0; // the token that the Tab key stops at
  let left = null; // where the box was scrolled to, for the reader to leave it there or not

  function press(place) {
    stop = place;
    onChoose(place === chosen ? null : place);
  }
  function go(place) {
    const next = Math.max(0, Math.min(spans.length - 1, place));
    if (next !== chosen) onChoose(next);
    spans[stop].tabIndex = -1;
    stop = next;
    spans[stop].tabIndex = 0;
    spans[stop].focus();
  }
  const MOVES = {
    ArrowRight: (at) => at + 1,
    ArrowLeft: (at) => at - 1,
    Home: () => 0,
    End: () => Infinity,
  };
  el.addEventListener("click", ({ target }) => {
    const place = spans.indexOf(target.closest("[role=button]"));
    if (place >= 0) press(place);
  });
  el.addEventListener("keydown", (event) => {
    const place = spans.indexOf(event.target);
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in MOVES) go(MOVES[event.key](place));
    else if (event.key === "Enter" || event.key === " ") press(place);
    else if (event.key === "Escape" && chosen !== null) onChoose(null);
    else return;
    event.preventDefault();
  });

  function draw({ prompt, shown, place, labels }) {
    const another = promptSpan.textContent !== prompt;
    if (another) promptSpan.textContent = prompt;
    const grown = another || shown.length > spans.length;
    chosen = place;
    const lost = spans.splice(shown.length);
    const focused = lost.includes(document.activeElement);
    for (const span of lost) span.remove();
    shown.forEach((text, i) => {
      const written = visible(text);
      if (!spans[i]) {
        const kind = `gen-token gen-${i % 2 ? "odd" : "even"}`;
        spans[i] = h("span", { class: kind, role: "button", tabindex: "-1" });
        tail.append(spans[i]);
      }
      const span = spans[i];
      if (span.textContent !== written) span.textContent = written;
      put(span, "aria-label", labels(i));
      put(span, "aria-pressed", String(i === place));
    });
    stop = Math.min(chosen ?? stop, spans.length - 1);
    if (stop < 0) stop = 0;
    spans.forEach((span, i) => put(span, "tabindex", i === stop ? "0" : "-1"));
    if (focused) spans[stop]?.focus();
    const high = el.scrollHeight > el.clientHeight;
    put(el, "tabindex", high && !spans.length ? "0" : "-1"); // arrow keys scroll what has the focus
    if (!high || !grown || place !== null) return;
    if (!another && left !== null && el.scrollTop < left - 1) return;
    el.scrollTop = el.scrollHeight;
    left = el.scrollTop;
  }
  const follow = () => (left = null);
  return { el, draw, follow };
}
