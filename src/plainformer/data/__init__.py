"""Texts to train on: some that need no download, named public corpora, and files of your own.

- `python_manual()`: real English, namely the language reference of CPython 3.11.7;
- `python_docstrings()`: short texts with labels, namely the docstrings of its standard library;
- `who_did_what(n)`: sentences from a small grammar in which everything depends on word order;
- `load("tinyshakespeare")`: a named corpus, which is downloaded once, checked, and cached;
- `load("my/own/file.txt")`: any text file of your own, read by the same function;
- `sentence_pairs(1000, seed=0)`: English and Italian sentences from a small grammar;
- `load_pairs("my.en", "my.it")`: parallel text of your own.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
