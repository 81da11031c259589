// Layers and heads as readers count them: from 1. Code, traits and links count from 0, and a tooltip
// says so. numbering.py is the same in Python.

/** A number as readers count it. */
export const ordinal = (i) => Number(i) + 1;

export const layerName = (i) => `layer ${ordinal(i)}`;
export const headName = (i) => `head ${ordinal(i)}`;
export const layerTitle = (i) => `Layer ${ordinal(i)}`;
export const headTitle = (i) => `Head ${ordinal(i)}`;

/** A token, and which one of the text it is: “cat” (3). */
export const tokenName = (tokens, t) => `“${tokens[t]}” (${ordinal(t)})`;

/** The tooltip of a layer, or of its head: where code finds it, "layers.0.heads.2". */
export const inCode = (...indices) => `in code layers.${indices.join(".heads.")}`;
