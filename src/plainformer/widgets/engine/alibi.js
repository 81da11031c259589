// ALiBi's slopes, as plainformer.inputs.alibi_slopes has them.

/** How steeply each head's scores fall with distance: (H). */
export function alibiSlopes(nHeads) {
  const power = 2 ** Math.floor(Math.log2(nHeads)); // the power of two that fits
  const twice = Array.from({ length: 2 * power }, (_, i) => 2 ** ((-4 / power) * (i + 1)));
  const slopes = twice.filter((_, i) => i % 2 === 1);
  const between = twice.filter((_, i) => i % 2 === 0);
  return [...slopes, ...between].slice(0, nHeads);
}
