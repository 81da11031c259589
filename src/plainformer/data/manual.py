"""A real English text that every Python has on board: its own language reference.

CPython ships the reference's prose for its `help()` system, in `pydoc_data.topics`: some 465,000
characters about assignments, loops, classes and so on. It makes a good first corpus, for it needs
no download.

Each version of CPython brings its own edition. So a tokenizer trained on it has other merges, and
a chapter other numbers, under another Python version; under one version the text is always the
same. Where a number must hold everywhere, use a corpus with a checksum (`load`).
"""

from __future__ import annotations

__all__ = ["python_manual"]


def python_manual() -> str:
    """Return the language reference of the running Python, as one text.

    The topics stand in alphabetical order of their names, three line ends between one and the
    next. A topic that is a copy of an earlier one is left out.

    Returns:
        The text: between 400,000 and 600,000 characters, depending on the version of CPython.

    Raises:
        ModuleNotFoundError: this Python was installed without `pydoc_data` (some minimal builds).

    >>> text = python_manual()
    >>> text[:22]
    'The "assert" statement'
    >>> 400_000 < len(text) < 600_000
    True
    """
    try:
        from pydoc_data.topics import topics
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "this Python comes without pydoc_data, the text of its own manual; install the full "
            "standard library (on Debian: libpython3-stdlib), or use a text file of your own"
        ) from error
    texts = dict.fromkeys(topics[name].strip() for name in sorted(topics))  # a set, but in order
    return "\n\n\n".join(texts) + "\n"
