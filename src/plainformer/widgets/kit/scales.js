// Numbers as colours: one scale for signed values, one for weights, each in a light and a dark mode.
//
// In both modes zero lies near the card's own ground, so what counts for little does not glare.
// Signed values go to purple below zero and to orange above it; on light ground the stops are those
// of ColorBrewer's PuOr. Weights have the colour of their role in the middle of their scale, from 0
// to 1 in every widget. All survive colour blindness, and weights greyscale. Colour alone never tells
// a value: whoever paints with these also offers the number.

const SIGNED = [
  "2d004b", "542788", "8073ac", "b2abd2", "d8daeb", "f7f7f7",
  "fee0b6", "fdb863", "e08214", "b35806", "7f3b08",
]; // prettier-ignore
const SIGNED_DARK = [
  "c9c2ea", "a197cc", "7c6eaf", "594e86", "393754", "1c2027",
  "4f3b2b", "855525", "b47630", "d99d57", "ffc67d",
]; // prettier-ignore
const WEIGHT = [
  "ffffff", "fbf1f6", "f6e4ed", "f2d6e4", "edc9db", "e8bcd2", "e3aeca",
  "dda1c1", "d894b8", "d286b0", "cc79a7", "c2709d", "b86794", "ae5d8a",
  "a45481", "9b4c77", "91436e", "873a65", "7e315c", "742854", "6b1f4b",
]; // prettier-ignore
const WEIGHT_DARK = [
  "161a20", "242028", "312531", "3f2b3a", "4d3143", "5b364d", "6a3c57",
  "794160", "89476a", "984c75", "a8527f", "b15f89", "b96c93", "c2799e",
  "ca86a8", "d393b3", "dba0bd", "e3adc8", "ebbad3", "f3c8de", "fbd5e9",
]; // prettier-ignore
const POWER = 0.6; // of a weight: most of them are small, and must be told apart

const parse = (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** 256 colours between the stops, as [red, green, blue], 0 to 255. */
function ladder(stops) {
  const rgb = stops.map(parse);
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (rgb.length - 1);
    const low = Math.min(Math.floor(at), rgb.length - 2);
    return rgb[low].map((part, c) => Math.round(part + (at - low) * (rgb[low + 1][c] - part)));
  });
}

const LADDERS = {
  signed: [SIGNED, SIGNED_DARK].map(ladder),
  weight: [WEIGHT, WEIGHT_DARK].map(ladder),
};

const step = (share) => Math.max(0, Math.min(255, Math.round(share * 255)));

/** The colour of a value from -limit to limit, as [red, green, blue]. */
export function signed(value, limit = 1, dark = false) {
  return LADDERS.signed[Number(dark)][step((value / limit + 1) / 2)];
}

/** The colour of a weight, 0 to 1, as [red, green, blue]: the same in every widget. */
export function weight(share, dark = false) {
  return LADDERS.weight[Number(dark)][step(Math.max(0, share) ** POWER)];
}

/** A colour for a style sheet. */
export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

/** Relative luminance, as WCAG defines it. */
function luminance(rgb) {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever can be read on a colour. */
export const inkOn = (rgb) => (luminance(rgb) > 0.179 ? "#000000" : "#ffffff");

const ROOTS = { attributeFilter: ["data-theme", "theme", "data-jp-theme-light", "class"] };

/**
 * Whether the card stands on dark ground: { dark(), stop }. onChange() is told when that becomes
 * otherwise, as when a reader changes the page's mode: what was painted is to be painted again.
 */
export function ground(card, onChange) {
  const look = () => {
    const found = getComputedStyle(card).backgroundColor.match(/[\d.]+/g) ?? [];
    return found.length >= 3 && luminance(found.slice(0, 3).map(Number)) < 0.179;
  };
  let now = look();
  const watch = new MutationObserver(() => {
    const next = look();
    if (next === now) return;
    now = next;
    onChange();
  });
  for (const root of [document.documentElement, document.body]) watch.observe(root, ROOTS);
  return { dark: () => now, stop: () => watch.disconnect() };
}
