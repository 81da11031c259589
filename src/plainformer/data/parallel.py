"""Parallel text of your own: one sentence in two languages, many times, read and cleaned.

    load_pairs("train.en", "train.it")   two files, line by line (Moses, OPUS, Europarl)
    load_pairs("pairs.tsv")              one file, two columns with a tab between (Anki, Tatoeba)

Tatoeba's website exports four columns: number, sentence, number, translation. Its collections at
manythings.org have three: sentence, translation, whose work it is. `columns` says where to look,
and None finds both of these.

Parallel text from the web is dirty. `clean_pairs` drops what would teach a model nonsense, and
counts what it drops and why. What it cannot see is a translation that is wrong but looks right.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

__all__ = ["clean_pairs", "load_pairs"]

Pair = tuple[str, str]


def load_pairs(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None = None,
    *,
    columns: tuple[int, int] | None = None,
) -> list[Pair]:
    """Read pairs of sentences from two files, or from a table with tabs.

    Every line is kept, empty ones too: what does not pair is told here, what is no good is
    dropped by `clean_pairs`.

    Args:
        source: UTF-8 text, a sentence a line; or, without a target, a table.
        target: UTF-8 text, the translations, line by line.
        columns: of a table: in which column each language stands, counted from 0. None means 0
            and 1, or 1 and 3 where columns 0 and 2 hold numbers (Tatoeba's export).

    Returns:
        (source, target), in the order of the lines.

    Raises:
        TypeError: a path is neither a string nor a path; columns are no two integers.
        FileNotFoundError: there is no such file.
        ValueError: a file is empty, or not UTF-8; the two files have not the same number of lines;
            a line of a table lacks a column. The message names file and line.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "pairs.tsv"
    ...     _ = table.write_text("your cat\\til tuo gatto\\na dog\\tun cane\\n", encoding="utf-8")
    ...     load_pairs(table)
    [('your cat', 'il tuo gatto'), ('a dog', 'un cane')]
    """
    if target is None:
        return _table(source, columns)
    if columns is not None:
        raise ValueError("columns must be None where there are two files: a line is a sentence")
    here, there = _lines(source), _lines(target)
    if len(here) != len(there):
        short, longer = sorted(((len(here), str(source)), (len(there), str(target))))
        raise ValueError(
            f"two files must have as many lines as each other; {short[1]} ends after line "
            f"{short[0]:,}, and {longer[1]} has {longer[0]:,}. If a line is missing in the middle, "
            "every pair after it is wrong: get the files anew rather than cut the longer one"
        )
    return list(zip(here, there, strict=True))


def clean_pairs(
    pairs: Iterable[Pair],
    *,
    max_words: int = 40,
    max_ratio: float = 2.5,
    lower: bool = False,
) -> tuple[list[Pair], Counter[str]]:
    """Tidy every sentence, and drop the pairs that teach nothing or nonsense.

    Tidying: one Unicode form (NFC), one space between words, none at the ends.

    Args:
        pairs: (source, target).
        max_words: longer sentences are dropped, on either side.
        max_ratio: pairs in which one side has so many times the words of the other are dropped;
            they are seldom translations. Sentences of five words or fewer are spared.
        lower: whether to write everything in small letters.

    Returns:
        The pairs that are left, in their order; and how many were dropped for each reason:
        "empty", "too long", "length ratio", "not translated" (both sides the same), "duplicate".

    Raises:
        TypeError, ValueError: a pair is not two strings; a limit below 1.

    >>> kept, dropped = clean_pairs([("a dog", " un  cane"), ("a dog", "un cane"), ("hello", "")])
    >>> kept, dict(dropped)
    ([('a dog', 'un cane')], {'duplicate': 1, 'empty': 1})
    """
    if isinstance(max_words, bool) or not isinstance(max_words, int):
        raise TypeError(f"max_words must be an integer; got {type(max_words).__name__}")
    for value, name in ((max_words, "max_words"), (max_ratio, "max_ratio")):
        if not value >= 1:
            raise ValueError(f"{name} must be 1 or more; got {value}")
    kept: dict[Pair, None] = {}  # a set that keeps its order
    dropped: Counter[str] = Counter()
    for number, pair in enumerate(pairs):
        if len(pair) != 2 or not all(isinstance(side, str) for side in pair):
            raise TypeError(f"pairs must be pairs of strings; got {pair!r} at {number}")
        source, target = (_tidy(side, lower) for side in pair)
        if reason := _fault(source, target, max_words, max_ratio):
            dropped[reason] += 1
        elif (source, target) in kept:
            dropped["duplicate"] += 1
        else:
            kept[source, target] = None
    return list(kept), dropped


def _tidy(text: str, lower: bool) -> str:
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return text.lower() if lower else text


def _fault(source: str, target: str, max_words: int, max_ratio: float) -> str | None:
    """Why a pair is dropped, if it is."""
    short, longer = sorted((len(source.split()), len(target.split())))
    if short == 0:
        return "empty"
    if longer > max_words:
        return "too long"
    if longer > 5 and longer > max_ratio * short:
        return "length ratio"
    if source == target and short > 1:  # one word alone may be a name
        return "not translated"
    return None


def _table(source: str | os.PathLike[str], columns: tuple[int, int] | None) -> list[Pair]:
    """Two columns of a table with tabs."""
    rows = [line.split("\t") for line in _lines(source)]
    if columns is None:
        first = rows[0]
        numbered = len(first) >= 4 and first[0].strip().isdigit() and first[2].strip().isdigit()
        columns = (1, 3) if numbered else (0, 1)
    if not (
        isinstance(columns, tuple)
        and len(columns) == 2
        and all(isinstance(c, int) and not isinstance(c, bool) and c >= 0 for c in columns)
    ):
        raise TypeError(f"columns must be two integers, 0 or more; got {columns!r}")
    pairs = []
    for number, row in enumerate(rows, start=1):
        if len(row) == 1 and not row[0].strip():
            continue  # an empty line, such as the last one
        if len(row) <= max(columns):
            raise ValueError(
                f"{source}, line {number:,}: expected {max(columns) + 1} columns or more with a "
                f"tab between two; got {len(row)}"
            )
        pairs.append((row[columns[0]], row[columns[1]]))
    return pairs


def _lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a UTF-8 file: cut at line ends only, not at the other marks Unicode has."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"a path must be a string or a path; got {type(path).__name__}")
    file = Path(path).expanduser()
    if file.is_dir():
        raise ValueError(f"{file} is a folder; expected a text file")
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file} (looked in {Path.cwd()})")
    data = file.read_bytes().removeprefix(b"\xef\xbb\xbf")  # the mark that some editors add
    if not data.strip():
        raise ValueError(f"{file} is empty; expected a sentence on each line")
    data = data.replace(b"\r\n", b"\n").removesuffix(b"\n")
    lines = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{file}, line {number:,}: expected UTF-8 text; byte {error.start + 1} of the line "
                f"is 0x{line[error.start]:02x}. If it is Latin-1 or UTF-16, save it as UTF-8 first"
            ) from error
    return lines
