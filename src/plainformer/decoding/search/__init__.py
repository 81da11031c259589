"""Search: of all the texts that a model could generate, find a likely one.

In reading order:

- `greedy.py`: the most likely token at every step;
- `beam.py`: several texts at a time;
- `lengths.py`: how texts of different lengths are compared;
- `tree.py`: the record of a beam search.
"""
