// Numbers as colours: one scale for signed values, one for magnitudes, the same in both modes.
//
// The stops are those of ColorBrewer's PuOr (purple below zero, white at zero, orange above) and of
// viridis. Both survive colour blindness. Colour alone never tells a value: whoever paints with
// these also offers the number.

const SIGNED = [
  "2d004b", "542788", "8073ac", "b2abd2", "d8daeb", "f7f7f7",
  "fee0b6", "fdb863", "e08214", "b35806", "7f3b08",
]; // prettier-ignore
const MAGNITUDE = [
  "440154", "471365", "482475", "463480", "414487", "3b528b", "355f8d",
  "2f6c8e", "2a788e", "25848e", "21918c", "1e9c89", "22a884", "2fb47c",
  "44bf70", "5ec962", "7ad151", "9bd93c", "bddf26", "dfe318", "fde725",
]; // prettier-ignore

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

const LADDERS = { signed: ladder(SIGNED), magnitude: ladder(MAGNITUDE) };

const step = (share) => Math.max(0, Math.min(255, Math.round(share * 255)));

/** The colour of a value from -limit to limit, as [red, green, blue]. */
export function signed(value, limit = 1) {
  return LADDERS.signed[step((value / limit + 1) / 2)];
}

/** The colour of a value from 0 to limit, as [red, green, blue]. */
export function magnitude(value, limit = 1) {
  return LADDERS.magnitude[step(value / limit)];
}

/** A colour for a style sheet. */
export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

/** Black or white, whichever can be read on a colour (relative luminance as WCAG defines it). */
export function inkOn(rgb) {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}
