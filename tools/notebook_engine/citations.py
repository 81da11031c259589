"""references.bib as a person reads it: (Author et al., year), with a link that works anywhere."""

from __future__ import annotations

from pathlib import Path

from pybtex.database import Entry, parse_file
from pybtex.richtext import Text


class Bibliography:
    """The entries of one BibTeX file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[str, Entry] = dict(parse_file(str(path), "bibtex").entries.items())

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def authors(self, key: str) -> str:
        """Return "Gage", "Kudo and Richardson" or "Sennrich et al."."""
        names = self._last_names(key)
        if len(names) > 2:
            return f"{names[0]} et al."
        return " and ".join(names)

    def year(self, key: str) -> str:
        """Return the year of publication, "n.d." where the entry has none."""
        return self._field(key, "year") or "n.d."

    def url(self, key: str) -> str:
        """Return where the work can be read: the entry's url, DOI or arXiv number, else ""."""
        fields = self.entries[key].fields
        if "url" in fields:
            return str(fields["url"])
        if "doi" in fields:
            return f"https://doi.org/{fields['doi']}"
        if "eprint" in fields:
            return f"https://arxiv.org/abs/{fields['eprint']}"
        return ""

    def parenthetical(self, keys: list[str]) -> str:
        """Return "([Sennrich et al., 2016](…); [Gage, 1994](…))"."""
        each = [self._linked(f"{self.authors(key)}, {self.year(key)}", key) for key in keys]
        return f"({'; '.join(each)})"

    def textual(self, keys: list[str]) -> str:
        """Return "[Sennrich et al. (2016)](…)", as the subject of a sentence."""
        each = [self._linked(f"{self.authors(key)} ({self.year(key)})", key) for key in keys]
        return each[0] if len(each) == 1 else ", ".join(each[:-1]) + " and " + each[-1]

    def entry(self, key: str) -> str:
        """Return one line of a list of references."""
        names = self._last_names(key)
        who = ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
        venue = next(
            (found for name in ("journal", "booktitle", "institution", "publisher", "howpublished")
             if (found := self._field(key, name))),
            "",
        )  # fmt: skip
        if not venue and "eprint" in self.entries[key].fields:
            venue = f"arXiv:{self.entries[key].fields['eprint']}"
        title = self._linked(self._field(key, "title"), key)
        return f"- {who} ({self.year(key)}). {title}.{f' *{venue}*.' if venue else ''}"

    def sorted(self, keys: set[str]) -> list[str]:
        """Return `keys` by author and year."""
        return sorted(keys, key=lambda key: (self.authors(key).casefold(), self.year(key), key))

    def _linked(self, text: str, key: str) -> str:
        url = self.url(key)
        return f"[{text}]({url.replace(')', '%29').replace('(', '%28')})" if url else text

    def _field(self, key: str, name: str) -> str:
        found = self.entries[key].fields.get(name, "")
        return str(Text.from_latex(found)) if found else ""

    def _last_names(self, key: str) -> list[str]:
        entry = self.entries[key]
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [
            str(Text.from_latex(" ".join([*person.prelast_names, *person.last_names])))
            for person in people
        ]
        return names or [self._field(key, "organization") or self._field(key, "title") or key]
