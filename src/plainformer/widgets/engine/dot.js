// The dot product of two stretches of numbers, which is most of what a model computes.

/** The sum of a[i + n] · b[j + n] over `length` numbers. */
export function dot(a, i, b, j, length) {
  // Four sums at once: the processor need not wait for one product before it begins the next.
  let [one, two, three, four] = [0, 0, 0, 0];
  let n = 0;
  for (; n + 3 < length; n += 4) {
    one += a[i + n] * b[j + n];
    two += a[i + n + 1] * b[j + n + 1];
    three += a[i + n + 2] * b[j + n + 2];
    four += a[i + n + 3] * b[j + n + 3];
  }
  for (; n < length; n += 1) one += a[i + n] * b[j + n];
  return one + two + (three + four);
}
