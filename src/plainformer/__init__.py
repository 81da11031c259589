"""Plainformer: every component of a transformer, written to be read.

Its packages and modules are:

- ``plainformer.inputs``: from text to vectors (tokenization, embedding, positions);
- ``plainformer.attention``: how tokens attend to one another;
- ``plainformer.blocks``: layers, whole transformers, and published weights;
- ``plainformer.decoding``: from logits to text;
- ``plainformer.training``: losses, schedules and the training loop, on one machine or on many;
- ``plainformer.data``: texts to train on, most of which need no download;
- ``plainformer.widgets``: the course's interactive figures, for Jupyter and for the pages;
- ``plainformer.exercises``: the checkers behind the exercises;
- ``plainformer.classroom``: hand out, collect and mark exercises (``plainformer-class``);
- ``plainformer.verify``: comparisons with independent implementations;
- ``plainformer.plots``: figures that suit light and dark pages.

Importing the package is quick, because each of these, and torch, is only imported when it is used.
"""

__version__ = "0.1.0"
