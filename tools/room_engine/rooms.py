"""Writes the files and the lines of a new room: all of them, or none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .names import Refused

TEMPLATES = Path(__file__).with_name("templates")


class Rooms:
    """What is going to be written into a project: new files, and files with a line more."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts: dict[str, str] = {}
        self.made: list[str] = []

    def add(self, path: str, text: str) -> None:
        """Plan a new file; raises `Refused` where there is one."""
        if (self.root / path).exists():
            raise Refused(f"{path} is there already: choose another name, or work on that one")
        self.texts[path] = text
        self.made.append(path)

    def add_template(self, path: str, template: str, words: dict[str, str]) -> None:
        """Plan a new file from a template, in which ``@name@`` stands for a word."""
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        self.add(path, re.sub(r"@(\w+)@", lambda found: words[found[1]], text))

    def text(self, path: str) -> str:
        """Return a file as it is going to be."""
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text(encoding="utf-8")
        return self.texts[path]

    def insert(self, path: str, line: str, *, behind: str) -> None:
        """Plan a line behind the last one that ``behind``, a pattern, finds."""
        lines = self.text(path).splitlines()
        places = [i for i, each in enumerate(lines) if re.search(behind, each)]
        if not places:
            raise Refused(f"{path} has no line such as {behind}: write this line by hand: {line}")
        lines.insert(places[-1] + 1, line)
        self.texts[path] = "\n".join(lines) + "\n"
        self.made.append(f"{path}: {' '.join(line.split())}")

    def insert_sorted(self, path: str, line: str) -> None:
        """Plan a line among the others of a list, in the order that the linter wants."""
        lines = [*self.text(path).splitlines(), line]
        self.texts[path] = "\n".join(sorted(lines, key=str.lower)) + "\n"
        self.made.append(f"{path}: {line}")

    def write(self) -> list[str]:
        """Write everything; where that fails, nothing is left behind."""
        before = {path: self._bytes(path) for path in self.texts}
        folders: list[Path] = []
        try:
            for path, text in self.texts.items():
                folders += self._make_folders((self.root / path).parent)
                (self.root / path).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            for path, old in before.items():
                if old is None:
                    (self.root / path).unlink(missing_ok=True)
                else:
                    (self.root / path).write_bytes(old)
            for folder in reversed(folders):
                folder.rmdir()
            raise Refused(f"nothing was made: {error}") from None
        return self.made

    def _bytes(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def _make_folders(self, folder: Path) -> Iterable[Path]:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir()
        return list(reversed(missing))
