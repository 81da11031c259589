"""references.bib as a person reads it: (Author et al., year), with a link that works anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pybtex.database import Entry, parse_file
from pybtex.richtext import Text

VENUES = ("journal", "booktitle", "institution", "publisher", "howpublished")


class Bibliography:
    """The entries of one BibTeX file."""

    def __init__(self, path: Path) -> None:
        self.entries: dict[str, Entry] = dict(parse_file(str(path), "bibtex").entries.items())

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def authors(self, key: str) -> str:
        """Return "Gage", "Kudo and Richardson" or "Sennrich et al."."""
        names = self._last_names(key)
        return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)

    def parenthetical(self, keys: Iterable[str]) -> str:
        """Return "([Sennrich et al., 2016](…); [Gage, 1994](…))"."""
        each = [self._linked(f"{self.authors(key)}, {self._year(key)}", key) for key in keys]
        return f"({'; '.join(each)})"

    def textual(self, keys: Iterable[str]) -> str:
        """Return "[Sennrich et al. (2016)](…)", as the subject of a sentence."""
        *most, last = (
            self._linked(f"{self.authors(key)} ({self._year(key)})", key) for key in keys
        )
        return f"{', '.join(most)} and {last}" if most else last

    def entry(self, key: str) -> str:
        """Return one line of a list of references."""
        *most, last = self._last_names(key)
        who = f"{', '.join(most)} and {last}" if most else last
        venue = next((found for name in VENUES if (found := self._field(key, name))), "")
        if not venue and "eprint" in self.entries[key].fields:
            venue = f"arXiv:{self.entries[key].fields['eprint']}"
        title = self._linked(self._field(key, "title"), key)
        return f"- {who} ({self._year(key)}). {title}.{f' *{venue}*.' if venue else ''}"

    def sorted(self, keys: Iterable[str]) -> list[str]:
        """Return `keys` by author and year."""
        return sorted(keys, key=lambda key: (self.authors(key).casefold(), self._year(key), key))

    def _linked(self, text: str, key: str) -> str:
        """Return `text` as a link to where the work can be read, if the entry tells."""
        fields = self.entries[key].fields
        if "url" in fields:
            url = str(fields["url"])
        elif "doi" in fields:
            url = f"https://doi.org/{fields['doi']}"
        elif "eprint" in fields:
            url = f"https://arxiv.org/abs/{fields['eprint']}"
        else:
            return text
        return f"[{text}]({url.replace(')', '%29').replace('(', '%28')})"

    def _year(self, key: str) -> str:
        return self._field(key, "year") or "n.d."

    def _field(self, key: str, name: str) -> str:
        found = self.entries[key].fields.get(name, "")
        return str(Text.from_latex(found)) if found else ""

    def _last_names(self, key: str) -> list[str]:
        people = self.entries[key].persons.get("author") or []
        names = [
            str(Text.from_latex(" ".join([*person.prelast_names, *person.last_names])))
            for person in people
        ]
        return names or [self._field(key, "organization") or self._field(key, "title") or key]
