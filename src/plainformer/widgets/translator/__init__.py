"""`Translator`: English to Italian in the page, word by word, with the words it looks at."""

from .widget import Translator

__all__ = ["Translator"]
