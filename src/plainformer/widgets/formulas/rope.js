// What RoPE computes, in double precision: angles, rotated vectors, contributions and the score.
//
// Layout "interleaved": pair i is made of the numbers 2i and 2i + 1.

/** By how much pair i of K numbers is rotated from one position to the next, in radians. */
export function frequency(i, K, base) {
  return base ** ((-2 * i) / K);
}

/** A vector [x, y], rotated by an angle against the clock. */
export function rotate([x, y], angle) {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return [x * cos - y * sin, x * sin + y * cos];
}

/** An angle without its whole turns, between -π and π. */
export const wrap = (angle) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** The angle from the direction of one vector to that of another, between -π and π. */
export const between = ([x, y], [a, b]) => wrap(Math.atan2(b, a) - Math.atan2(y, x));

const dot = ([a, b], [x, y]) => a * x + b * y;

/** The vector [x, y] of each pair. */
export function split(numbers) {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]]);
}

/** Everything about each pair of a query at position m and a key at position n. */
export function pairs(query, key, m, n, base) {
  const keys = split(key);
  return split(query).map((q, i) => {
    const omega = frequency(i, query.length, base);
    const angleQ = m * omega;
    const angleK = n * omega;
    const [before, difference] = [between(keys[i], q), (m - n) * omega];
    return {
      omega,
      wavelength: (2 * Math.PI) / omega,
      angleQ,
      angleK,
      before, // from the key to the query
      difference, // what rotating adds to that
      after: wrap(before + difference),
      contribution: dot(rotate(q, angleQ), rotate(keys[i], angleK)),
    };
  });
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** What the curves of K / 2 pairs are made of: the cosine and sine of every angle. */
export function rotations(K, distances, base) {
  return Array.from({ length: K / 2 }, (_, i) => {
    const angles = distances.map((distance) => distance * frequency(i, K, base));
    return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) };
  });
}

/** A pair's contribution at each of the distances m - n of its angles: q · k and q × k as waves. */
export function curve([a, b], [x, y], { cos, sin }) {
  const [along, across] = [a * x + b * y, a * y - b * x];
  return cos.map((each, j) => along * each + across * sin[j]);
}

/** For every pair, its contribution at each of these distances m - n. */
export function curves(query, key, distances, base) {
  const keys = split(key);
  const all = rotations(query.length, distances, base);
  return split(query).map((q, i) => curve(q, keys[i], all[i]));
}
