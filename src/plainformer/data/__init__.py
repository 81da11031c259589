"""Text to learn from: two that need no download, and named public corpora.

- `python_manual()`: real English, the language reference of CPython 3.11.7;
- `python_docstrings()`: short texts with labels, the docstrings of its standard library;
- `who_did_what(n)`: sentences of a small grammar, in which the order of words is all;
- `load("tinyshakespeare")`: a named corpus, fetched once, checked, and kept;
- `load("my/own/file.txt")`: any text file of yours, wherever a corpus would do;
- `sentence_pairs(1000, seed=0)`: English and Italian, written by a small grammar;
- `load_pairs("my.en", "my.it")`: parallel text of yours.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
