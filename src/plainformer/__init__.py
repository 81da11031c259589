"""Plainformer: every component of a transformer, written to be read.

These are its rooms:

- ``plainformer.inputs``: from text to vectors (tokenization, embedding, positions);
- ``plainformer.attention``: how tokens look at one another;
- ``plainformer.blocks``: layers, whole transformers, and weights that others have published;
- ``plainformer.decoding``: from logits to text;
- ``plainformer.training``: losses, schedules and loops, on one machine or on many;
- ``plainformer.data``: text to learn from, with no download needed;
- ``plainformer.widgets``: the course's interactive pictures, for Jupyter and for the page;
- ``plainformer.exercises``: the checkers behind the exercises;
- ``plainformer.classroom``: exercises handed out, collected and marked (``plainformer-class``);
- ``plainformer.verify``: comparisons with independent implementations;
- ``plainformer.plots``: figures that suit light pages and dark ones.

Importing it costs little: no room is opened, and torch is never imported, until you ask.
"""

__version__ = "0.1.0"
