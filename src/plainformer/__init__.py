"""Plainformer: every component of a transformer, written to be read.

These are its rooms:

- ``plainformer.inputs``: from text to vectors (tokenization, embedding, positions);
- ``plainformer.attention``: how tokens look at one another;
- ``plainformer.decoding``: from logits to text;
- ``plainformer.data``: text to learn from, with no download needed;
- ``plainformer.widgets``: the course's interactive pictures, for Jupyter and for the page;
- ``plainformer.exercises``: the checkers behind the exercises;
- ``plainformer.verify``: comparisons with independent implementations;
- ``plainformer.plots``: figures that suit light pages and dark ones.

Importing it costs little: no room is opened, and torch is never imported, until you ask.
"""

__version__ = "0.1.0"
