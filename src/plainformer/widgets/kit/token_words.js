// How widgets write a token and a probability; token_words.py does it for pictures.

/** A probability with two decimals, as 0.00 only if it is 0, and as 1.00 only if it is 1. */
export function share(number) {
  if (number > 0 && number < 0.005) return "<0.01";
  return number < 1 && number > 0.995 ? ">0.99" : number.toFixed(2);
}

/** A token on one line, with nothing in it that cannot be seen. */
export function label(token) {
  const text = token
    .replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length))
    .replace(/\n/g, "⏎")
    .replace(/\t/g, "⇥")
    .replace(/\x7f/g, "␡")
    .replace(/[\0-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/[\x80-\x9f\ufffe\uffff]/g, "�");
  return text || "∅";
}
