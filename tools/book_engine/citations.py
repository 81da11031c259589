"""The list of references names a work as the text does: "Vaswani et al., 2017".

The text cites by author and year, but none of the list's ready styles does. So the labels of the
list are made here, from the same names as the citations in the text. Two works of one label are
a warning of the extension that makes the lists: such years are 2013a and 2013b in the .bib file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style as UnsrtStyle
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

NAME = "book_author_year"


def label(entry: Any) -> str:
    """Return how the text cites a work: its authors' last names and its year.

    entry: a `pybtex.database.Entry`.
    """
    style = AuthorYearReferenceStyle()
    names = style.person.author_or_editor_or_title(full=False)
    return f"{names.format_data({'entry': entry, 'style': style})}, {entry.fields['year']}"


class AuthorYearLabels(BaseLabelStyle):  # type: ignore[misc]
    """Labels of a list of references, by author and year."""

    def format_labels(self, sorted_entries: Iterable[Any]) -> Iterator[str]:
        """Yield the label of each entry."""
        yield from map(label, sorted_entries)


class AuthorYearStyle(UnsrtStyle):  # type: ignore[misc]
    """A list of references in the order of its labels."""

    default_sorting_style = "author_year_title"
    default_label_style = AuthorYearLabels


def setup(app: Sphinx) -> None:
    """Make the style known by its name, for ``_config.yml``."""
    register_plugin("pybtex.style.formatting", NAME, AuthorYearStyle)
