"""Writes the files and the lines of a new room: all of them, or none."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from .names import Refused

TEMPLATES = Path(__file__).with_name("templates")
STYLE = Path(__file__).parents[2] / "pyproject.toml"


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
        self.add(path, self.filled(template, words))

    def filled(self, template: str, words: dict[str, str]) -> str:
        """Return the text of a template with its words."""
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        return re.sub(r"@(\w+)@", lambda found: words[found[1]], text)

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

    def append(self, path: str, line: str) -> None:
        """Plan a line at the end of a list of imports, which `write` sorts."""
        self.texts[path] = self.text(path).rstrip("\n") + f"\n{line}\n"
        self.made.append(f"{path}: {line}")

    def write(self) -> list[str]:
        """Write everything, in the style of the project; if that fails, nothing is left behind."""
        self.texts = {path: in_style(path, text) for path, text in self.texts.items()}
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


def in_style(path: str, text: str) -> str:
    """Return a file as ruff formats it, with its imports in order; other files as they are."""
    if not path.endswith((".py", ".pyi")):
        return text
    for words in (["check", "--fix-only", "--select=I"], ["format"]):
        command = [sys.executable, "-m", "ruff", *words, "--quiet", f"--config={STYLE}"]
        done = subprocess.run(
            [*command, f"--stdin-filename={path}", "-"],
            input=text, capture_output=True, encoding="utf-8", check=True,
        )  # fmt: skip
        text = done.stdout
    return text
