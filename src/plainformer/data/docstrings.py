"""Short texts whose labels come for free: docstrings, labelled by the field of their module.

The standard library is written in Python, and nearly every function says in a sentence or more what
it does: "Return a new socket connected to the given address." That makes thousands of short texts,
and each has a label, namely the field that its module belongs to in the table below. The package
carries the docstrings of CPython 3.11.7, so a score that is measured on them can be compared with
other people's scores.

Two things to keep in mind:
- The table is ours and partly a matter of taste. Is `mailbox` about files, or about the network?
- Docstrings of the same module resemble one another, so a test on other texts of a module that the
  model has seen is too easy. `split_by` can hold out whole modules instead.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from plainformer.arrays import check_number
from plainformer.data.shipped_texts import read_shipped_text

__all__ = ["FIELDS", "Docstring", "python_docstrings", "split_by"]

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
"""The modules and packages of each field. No single release of Python contains all of them."""


@dataclass(frozen=True)
class Docstring:
    """One text: what it says, the module that it comes from ("json.decoder"), and its field."""

    text: str
    module: str
    field: str

    @property
    def package(self) -> str:
        """The first part of the module's name: "json"."""
        return self.module.partition(".")[0]


@cache
def python_docstrings() -> tuple[Docstring, ...]:
    """Return 5,172 docstrings of CPython 3.11.7 as prose, with their fields.

    They are sorted by module, and within a module they follow the source. Examples (from the
    first `>>>` on) are cut off. Every text occurs once, in one field, and has at least five words.

    >>> found = python_docstrings()
    >>> len(found), found[0].field, found[0].text[:41]
    (5172, 'language', 'Abstract Base Classes (ABCs) for collecti')
    """
    lines = read_shipped_text("docstrings.jsonl").splitlines()
    return tuple(Docstring(text, module, field) for field, module, text in map(json.loads, lines))


def split_by(
    group: Callable[[Docstring], str],
    docstrings: Sequence[Docstring],
    held_out: float,
    seed: int = 0,
) -> tuple[list[Docstring], list[Docstring]]:
    """Split texts into training texts and held-out texts, keeping each group together.

    `group` returns the group of a text, such as its module, and `held_out` is the largest share of
    each field's texts to hold out, from 0 to 1. Because groups are never cut, fewer may be held
    out, and a group larger than this share never is.

    >>> texts = [Docstring(str(i), f"m{i % 4}", "files") for i in range(8)]
    >>> read, held_out = split_by(lambda each: each.module, texts, 0.25)
    >>> len(read), {each.module for each in held_out}
    (6, {'m2'})
    """
    if not 0 <= check_number(held_out, "held_out") <= 1:
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
