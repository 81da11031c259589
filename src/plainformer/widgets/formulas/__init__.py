"""The formulas in JavaScript: what a slider changes, a page must compute without Python.

Each file is named as the module in Python that computes the same (``formulas/rope.js`` as
``plainformer.inputs.relative_positions.rope``), and a browser test compares the two.
"""
