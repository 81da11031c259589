"""Labelled texts that every Python has on board: docstrings, by the field of their module.

The standard library is written in Python, and nearly every function says in a sentence or more what
it does: "Return a new socket connected to the given address." So there are thousands of short
texts, and each has a label that nobody had to give: its module's field, by the table below.

Sources are read, never imported or run.

But:
- The table is ours, and a matter of taste: is `mailbox` about files, or about the network?
- Docstrings change from version to version, and some systems ship fewer modules. So a figure that
  was measured on these texts names their `fingerprint`; on other texts it is another figure.
- Docstrings of one module resemble one another. `split_by` therefore keeps a group of texts
  together, on one side of the cut: hold out whole modules, or the test is too easy.
"""

from __future__ import annotations

import ast
import hashlib
import random
import re
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["FIELDS", "Docstring", "fingerprint", "python_docstrings", "split_by"]

FIELDS = {
    "concurrency": """asyncio concurrent multiprocessing queue sched selectors signal subprocess
        threading _threading_local""",
    "debugging": """bdb cProfile doctest logging pdb profile pstats timeit trace traceback
        tracemalloc unittest warnings""",
    "files": """bz2 _compression compression dbm filecmp fileinput fnmatch genericpath glob gzip
        io linecache lzma ntpath nturl2path os pathlib posixpath _pyio shelve shutil stat tarfile
        tempfile zipapp zipfile""",
    "formats": """base64 codecs configparser csv difflib encodings gettext html json locale netrc
        pickle pickletools plistlib pprint quopri re reprlib shlex string stringprep textwrap
        tomllib xml""",
    "language": """abc _py_abc ast code codeop collections _collections_abc compileall contextlib
        copy copyreg dataclasses dis enum functools importlib inspect keyword modulefinder opcode
        operator pkgutil py_compile pyclbr pydoc runpy symtable tabnanny tokenize types typing
        weakref zipimport""",
    "network": """email ftplib http imaplib ipaddress mailbox mimetypes poplib smtplib socket
        socketserver ssl urllib webbrowser wsgiref xmlrpc""",
    "numbers": """bisect calendar colorsys datetime _pydatetime decimal _pydecimal fractions
        hashlib heapq hmac numbers random secrets statistics _strptime uuid zoneinfo""",
}
"""Each field, and the modules and packages that belong to it. No Python has all of them."""

LEAST_WORDS = 5  # "Return True if so." could be anyone's
_WORD = re.compile(r"[A-Za-z]+")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_STATEMENTS = (ast.stmt, ast.excepthandler)  # what a function or a class can stand in


@dataclass(frozen=True)
class Docstring:
    """One text: what it says, the module that it stands in ("json.decoder"), and its field."""

    text: str
    module: str
    field: str

    @property
    def package(self) -> str:
        """The first part of the module's name: "json"."""
        return self.module.partition(".")[0]


@cache
def python_docstrings(folder: Path | None = None) -> tuple[Docstring, ...]:
    """Return the docstrings of the standard library, as prose, each once, with their fields.

    Examples (from the first `>>>` on) are cut off, and runs of white space become one space. What
    then has fewer than five words is left out, and so is what stands in two fields.

    Args:
        folder: where the modules are; None for the running Python's standard library.

    Returns:
        Some 5,000 texts, by module and then as they stand in it.

    Raises:
        FileNotFoundError: there are no such sources (some Pythons bring compiled modules alone).

    >>> python_docstrings()[0].text[:41]
    'Abstract Base Classes (ABCs) for collecti'
    """
    folder = Path(sysconfig.get_path("stdlib")) if folder is None else folder
    fields: dict[str, set[str]] = defaultdict(set)  # of each text, in small letters
    found: list[Docstring] = []
    for field, path in _files(folder):
        module = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
        for text in _docstrings(path):
            if field not in fields[text.lower()]:
                fields[text.lower()].add(field)
                found.append(Docstring(text, module, field))
    if not found:
        raise FileNotFoundError(
            f"there are no sources of the standard library in {folder}; install the full Python "
            "(on Debian: libpython3-stdlib), or use texts of your own"
        )
    return tuple(each for each in found if len(fields[each.text.lower()]) == 1)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The source files of the modules in the table, by name, each with its field."""
    field_of = {name: field for field, names in FIELDS.items() for name in names.split()}
    for name, field in sorted(field_of.items()):
        if (module := folder / f"{name}.py").is_file():
            yield field, module
        inside = [path.relative_to(folder) for path in (folder / name).rglob("*.py")]
        for path in sorted(inside, key=lambda path: path.parts):
            if not {"test", "tests"} & set(path.parts):
                yield field, folder / path


def _docstrings(path: Path) -> Iterator[str]:
    """The docstrings of one file, cleaned; of a file that no parser can read, none."""
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


def fingerprint(docstrings: Iterable[Docstring]) -> str:
    """Name a set of texts: the first 12 digits of the sha256 of all that is in it, in order.

    >>> fingerprint([Docstring("Return a new socket.", "socket", "network")])
    'e0f7a5db3005'
    """
    checksum = hashlib.sha256()
    for each in docstrings:
        checksum.update(f"{each.field}\0{each.module}\0{each.text}\0".encode())
    return checksum.hexdigest()[:12]


def split_by(
    group: Callable[[Docstring], str],
    docstrings: Sequence[Docstring],
    held_out: float,
    seed: int = 0,
) -> tuple[list[Docstring], list[Docstring]]:
    """Split texts in two; those of one group stay together, and every field gives its share.

    Args:
        group: what a text belongs to, such as its module.
        docstrings: what to split.
        held_out: the share of each field's texts to hold out, from 0 to 1: at most so many, for
            groups are not cut. A group that is larger than that is never held out.
        seed: of the order in which groups are tried.

    Returns:
        The texts to learn from, and those held out, each in the order given.

    >>> texts = [Docstring(str(i), f"m{i % 4}", "files") for i in range(8)]
    >>> read, held_out = split_by(lambda each: each.module, texts, 0.25)
    >>> len(read), {each.module for each in held_out}
    (6, {'m2'})
    """
    if isinstance(held_out, bool) or not isinstance(held_out, int | float):
        raise TypeError(f"held_out must be a number; got {type(held_out).__name__}")
    if not 0 <= held_out <= 1:
        raise ValueError(f"held_out must be from 0 to 1; got {held_out}")
    sizes: dict[str, Counter[str]] = defaultdict(Counter)  # field → group → texts
    for each in docstrings:
        sizes[each.field][group(each)] += 1
    rng, chosen = random.Random(seed), set()
    for field in sorted(sizes):
        left = held_out * sizes[field].total()
        names = sorted(sizes[field])
        rng.shuffle(names)
        for name in names:
            if sizes[field][name] <= left:
                left -= sizes[field][name]
                chosen.add((field, name))
    sides: tuple[list[Docstring], list[Docstring]] = ([], [])
    for each in docstrings:
        sides[(each.field, group(each)) in chosen].append(each)
    return sides
