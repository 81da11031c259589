// Sinusoidal positions in double precision: the numbers of plainformer.inputs.positions.sinusoidal.
//
// Column 2i is a sine and column 2i + 1 the cosine of the same angle, position · base^(-2i / D).
// With an odd D the last column is a sine alone.

/** How far a dimension turns from one position to the next, in radians. */
export function frequency(dimension, dModel, base) {
  return base ** -((dimension - (dimension % 2)) / dModel);
}

/** After how many positions a dimension is back where it was. */
export function wavelength(dimension, dModel, base) {
  return (2 * Math.PI) / frequency(dimension, dModel, base);
}

/** The value of one dimension at a position, which need not be whole. */
export function value(position, dimension, dModel, base) {
  const angle = position * frequency(dimension, dModel, base);
  return dimension % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** All values, row by row: positions 0 to length - 1, each with its D dimensions. */
export function table(length, dModel, base) {
  const values = new Float64Array(length * dModel);
  for (let dimension = 0; dimension < dModel; dimension += 1) {
    const turn = frequency(dimension, dModel, base);
    const wave = dimension % 2 ? Math.cos : Math.sin;
    for (let position = 0; position < length; position += 1) {
      values[position * dModel + dimension] = wave(position * turn);
    }
  }
  return values;
}

/** The similarity PE(p)·PE(q) / (D / 2) of all pairs of positions, row by row. */
export function similarities(values, length, dModel) {
  const result = new Float64Array(length * length);
  for (let p = 0; p < length; p += 1) {
    for (let q = 0; q <= p; q += 1) {
      let sum = 0;
      for (let d = 0; d < dModel; d += 1) sum += values[p * dModel + d] * values[q * dModel + d];
      result[p * length + q] = sum / (dModel / 2);
      result[q * length + p] = sum / (dModel / 2);
    }
  }
  return result;
}
