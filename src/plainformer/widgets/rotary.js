// What RoPE computes, in double precision: angles, turned vectors, contributions and the score.
//
// Layout "interleaved": pair i is made of the numbers 2i and 2i + 1.

/** By how much pair i of K numbers turns from one position to the next, in radians. */
export function frequency(i, K, base) {
  return base ** ((-2 * i) / K);
}

/** A vector [x, y], turned by an angle against the clock. */
export function turn([x, y], angle) {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return [x * cos - y * sin, x * sin + y * cos];
}

const dot = ([a, b], [x, y]) => a * x + b * y;

/** The vector [x, y] of each pair. */
export function split(numbers) {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
}

/** Everything about each pair of a query at position m and a key at position n. */
export function pairs(query, key, m, n, base) {
  const keys = split(key);
  return split(query).map((q, i) => {
    const theta = frequency(i, query.length, base);
    const angleQ = m * theta;
    const angleK = n * theta;
    return {
      theta,
      wavelength: (2 * Math.PI) / theta,
      angleQ,
      angleK,
      difference: (m - n) * theta,
      contribution: dot(turn(q, angleQ), turn(keys[i], angleK)),
    };
  });
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** For every pair, its contribution at each of these distances m - n. */
export function curves(query, key, distances, base) {
  const keys = split(key);
  return split(query).map((q, i) => {
    const theta = frequency(i, query.length, base);
    return distances.map((distance) => dot(turn(q, distance * theta), keys[i]));
  });
}
