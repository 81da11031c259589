// What the origin of a number is told in: rows that add up, each a product of factors.
//
// A factor is { text, value, to, of }: `to` is the place where it can be asked in its turn; `of` is
// the value there, where the factor is not that value itself but made of it, as a cosine of an angle.

import * as places from "./selection.js";

/** Thrown where a parameter is needed that is still on its way. */
export const COMES = new Error("a parameter is on its way");

const flat = (shape, place) => place.reduce((sum, each, i) => sum * shape[i] + each, 0);

export const total = (rows) => rows.reduce((sum, each) => sum + each.value, 0);

/** A row of one factor. */
export const plain = (each) => ({ factors: [each], value: each.value });

/** A row of several; what is null is left out. */
export function times(...given) {
  const factors = given.filter(Boolean);
  return { factors, value: factors.reduce((product, each) => product * each.value, 1) };
}

/**
 * What reads numbers: steps is a Map; tensor(name) a parameter, null where there is none, undefined
 * while it comes; inner(place) the value of what stands between two steps.
 */
export function reader({ steps, tensor }, inner) {
  const get = (name, ...place) => {
    const { shape, data } = steps.get(name);
    return data[flat(shape, place)];
  };
  const at = (name, place) => (steps.has(name) ? get(name, ...place) : inner(name, place));
  const factor = (text, name, ...place) => ({
    text,
    value: at(name, place),
    to: places.numberAt(name, ...place),
  });
  /** A function of a number: its cosine, say. */
  const made = (text, f, name, ...place) => {
    const { value, to } = factor(text, name, ...place);
    return { text, value: f(value), to, of: value };
  };
  const parameter = (name, ...place) => {
    const found = tensor(name);
    if (found === undefined) throw COMES;
    const to = places.numberAt(name, ...place);
    return found && { text: to, value: found.data[flat(found.shape, place)], to };
  };

  /** A row of a matrix times a row of a step, and the bias, if there is one. */
  function product(weight, row, source, t, bias) {
    const size = steps.get(source).shape.at(-1);
    const rows = Array.from({ length: size }, (_, i) =>
      times(factor(`number ${i + 1}`, source, t, i), parameter(weight, row, i)),
    );
    const added = parameter(bias, row);
    return added ? [...rows, plain(added)] : rows;
  }
  return { get, factor, made, parameter, product };
}
