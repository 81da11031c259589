"""A small book of its own: three pages with cells, a package of two modules, a data file.

index.md       the first page, runs nothing
book/both.md   imports toy.alpha and toy.beta
book/alpha.md  imports toy.alpha, and reads book/words.txt
book/beta.md   imports toy.beta, shows it with literalinclude
book/plain.md  runs nothing

The package, book/toy, lies beside the pages: a kernel gets no PYTHONPATH.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  name: python3
---
"""
PAGES = {
    "index": "# A toy book\n\nThis is a small book that exists to be built by a test, and again.\n",
    "plain": "# Plain\n\nNothing runs on this page, so nothing can make it run a second time.\n",
    "alpha": HEAD
    + "# Alpha\n\nThis page uses one module and one file, and says what they hold.\n\n"
    "```{code-cell} python\nfrom toy import alpha\nprint('alpha is', alpha.NAME)\n"
    "print(open('words.txt').read())\n```\n",
    "beta": HEAD + "# Beta\n\nThis page uses the other module, and shows its source as well.\n\n"
    "```{literalinclude} toy/beta.py\n```\n\n"
    "```{code-cell} python\nimport toy.beta\nprint('beta is', toy.beta.NAME)\n```\n",
    "both": HEAD + "# Both\n\nThis page uses both modules, so it runs when either one changes.\n\n"
    "```{code-cell} python\nimport toy.alpha, toy.beta\n"
    "print(toy.alpha.NAME, 'and', toy.beta.NAME)\n```\n",
}


def place(page: str) -> str:
    """Return a page's name in the whole book: the first one is at the root, as in ours."""
    return page if page == "index" else f"book/{page}"


@dataclass
class Outcome:
    """What one build did: its exit status, what it said, which pages it ran."""

    status: int
    said: str

    @property
    def ran(self) -> set[str]:
        """The pages that were run, by their names in the book's folder."""
        lines = [line for line in self.said.splitlines() if " will run: " in line]
        return {line.split(" will run: ")[0].rsplit("/", 1)[-1] for line in lines}


class ToyBook:
    """The toy book in a folder; `build` is a real ``jupyter-book build`` with our engine."""

    def __init__(self, folder: Path, pages: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.html = folder / "_build" / "html"
        pages = pages or PAGES
        config = (ROOT / "_config.yml").read_text(encoding="utf-8")
        config = config.replace("book_engine: tools", f"book_engine: {ROOT / 'tools'}")
        toc = ["format: jb-book", "root: index", "chapters:"]
        toc += [f"  - file: book/{name}" for name in pages if name != "index"]
        self.write("_config.yml", config)
        self.write("_toc.yml", "\n".join(toc) + "\n")
        self.write("references.bib", "")
        self.write("requirements.txt", "toy==1\n")
        self.write("book/toy/__init__.py", "")
        self.write("book/toy/alpha.py", "NAME = 'first'\n")
        self.write("book/toy/beta.py", "NAME = 'second'\n")
        gamma = 'def double(x):\n    """Double it."""\n    return 2 * x\n'
        self.write("book/toy/gamma.py", gamma)
        self.write("book/words.txt", "one two\n")
        for name in ("_static", "styles"):
            shutil.copytree(ROOT / "book" / name, folder / "book" / name)
        for name, text in pages.items():
            self.write(f"{place(name)}.md", text)

    def write(self, name: str, text: str) -> Path:
        """Write a file of the book."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, page: str) -> str:
        """Return a built page."""
        return (self.html / f"{place(page)}.html").read_text(encoding="utf-8")

    def build(self, *options: str) -> Outcome:
        """Build the book strictly, as `make book` does."""
        program = Path(sys.executable).with_name("jupyter-book")
        command = [str(program), "build", ".", "-W", "-n", "--keep-going", *options]
        # jsonschema takes it where it is there, to check international addresses, of which a book
        # has none; it compiles its grammar in a second, a fifth of a build in which nothing runs.
        without = self.write("_build/without/rfc3987_syntax.py", "raise ImportError\n").parent
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(without)}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=1800
        )
        return Outcome(done.returncode, done.stdout + done.stderr)
