"""Collect the two texts that the package ships, from the sources of a Python installation.

    ~/.pyenv/versions/3.11.7/bin/python tools/ship_texts.py

CPython contains the prose of its language reference, which ``help()`` prints (it is in
``pydoc_data.topics``), and a docstring for nearly every function of its standard library. The
wording changes a little from release to release, but many numbers on the pages depend on it, so the
course ships the texts of one release, CPython 3.11.7. This script documents where they come from
and can produce them again. Any other release would produce different
texts, which `plainformer.data` would reject because their hashes are wrong.

The sources are read and parsed, but never imported or run. The field of a module comes from the
table in `plainformer.data.docstrings`, which is partly a matter of taste: is `mailbox` about files,
or about the network?
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import platform
import re
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))  # any Python can run this, without the course's environment

from plainformer.data.docstrings import FIELDS, Docstring  # noqa: E402
from plainformer.data.shipped_texts import EDITION, FOLDER  # noqa: E402

LEAST_WORDS = 5  # shorter docstrings, such as "Return True if so.", could come from any field
_WORD = re.compile(r"[A-Za-z]+")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_STATEMENTS = (ast.stmt, ast.excepthandler)  # what may contain a function or a class


def manual(topics: Mapping[str, str]) -> str:
    """Join the topics of the language reference in alphabetical order, without duplicates.

    >>> manual({"for": "A loop. ", "while": "Another loop.", "else": "A loop."})
    'A loop.\\n\\n\\nAnother loop.\\n'
    """
    texts = dict.fromkeys(topics[name].strip() for name in sorted(topics))
    return "\n\n\n".join(texts) + "\n"


def docstrings(folder: Path) -> list[Docstring]:
    """Collect the docstrings of the modules in a folder, as prose, with their fields.

    Examples (from the first ``>>>`` on) are cut off, and runs of white space become one space.
    Duplicates and texts of fewer than five words are left out, and so are texts that occur in two
    fields.
    """
    fields: dict[str, set[str]] = defaultdict(set)  # of each text, in lower case
    found: list[Docstring] = []
    for field, path in _files(folder):
        module = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
        for text in _docstrings(path):
            if field not in fields[text.lower()]:
                fields[text.lower()].add(field)
                found.append(Docstring(text, module, field))
    return [each for each in found if len(fields[each.text.lower()]) == 1]


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the source files of the modules in the table, by name, each with its field."""
    field_of = {name: field for field, names in FIELDS.items() for name in names.split()}
    for name, field in sorted(field_of.items()):
        if (module := folder / f"{name}.py").is_file():
            yield field, module
        inside = [path.relative_to(folder) for path in (folder / name).rglob("*.py")]
        for path in sorted(inside, key=lambda path: path.parts):
            if not {"test", "tests"} & set(path.parts):
                yield field, folder / path


def _docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of one file, cleaned; none if the file cannot be parsed."""
    try:
        waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    except (SyntaxError, ValueError):
        return
    while waiting:
        node = waiting.pop()
        if isinstance(node, _DOCUMENTED) and (raw := ast.get_docstring(node)):
            text = " ".join(raw.partition(">>>")[0].split())
            if len(_WORD.findall(text)) >= LEAST_WORDS:
                yield text
        inside = [each for each in ast.iter_child_nodes(node) if isinstance(each, _STATEMENTS)]
        waiting += reversed(inside)  # the last is taken first


def collect() -> dict[str, str]:
    """Collect both texts from the running Python, by the names of their files."""
    from pydoc_data.topics import topics

    found = docstrings(Path(sysconfig.get_path("stdlib")))
    lines = (json.dumps([each.field, each.module, each.text]) + "\n" for each in found)
    return {"manual.txt": manual(topics), "docstrings.jsonl": "".join(lines)}


def main() -> int:
    """Write both files and print their hashes, if this Python is the right release."""
    if platform.python_version() != EDITION:
        print(
            f"The course's texts come from CPython {EDITION}, but this is "
            f"{platform.python_version()}, which has different ones. Nothing was written.",
            file=sys.stderr,
        )
        return 1
    FOLDER.mkdir(exist_ok=True)
    for name, text in collect().items():
        data = text.encode()
        # With a fixed date, the same text always gives the same file.
        (FOLDER / f"{name}.gz").write_bytes(gzip.compress(data, 9, mtime=0))
        print(f"{name}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
