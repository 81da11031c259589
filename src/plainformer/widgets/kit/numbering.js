// Layers and heads as readers count them: from 1. Code, traits and links count from 0, and a tooltip
// says so. numbering.py is the same in Python.

/** A number as readers count it. */
export const ordinal = (i) => Number(i) + 1;

export const layerName = (i) => `layer ${ordinal(i)}`;
export const headName = (i) => `head ${ordinal(i)}`;

/** The same at the beginning of a sentence: "Layer 2", "Head 3". */
export const capital = (name) => `${name[0].toUpperCase()}${name.slice(1)}`;

/** The tooltip of a layer, or of its head: where code finds it. */
export const inCode = (layer, head = null) => `in code layers[${layer}]${head === null ? "" : `, head ${head}`}`;
