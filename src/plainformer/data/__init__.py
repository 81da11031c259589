"""Text to learn from: one text that needs no download, and named public corpora.

- `python_manual()`: real English that came with your Python;
- `load("tinyshakespeare")`: a named corpus, fetched once, checked, and kept;
- `load("my/own/file.txt")`: any text file of yours, wherever a corpus would do.
"""

from plainformer.data.corpora import CORPORA, Corpus, cache_folder
from plainformer.data.download import CorpusUnavailable
from plainformer.data.loading import load
from plainformer.data.manual import python_manual

__all__ = ["CORPORA", "Corpus", "CorpusUnavailable", "cache_folder", "load", "python_manual"]
