"""Read and clean parallel text of your own: the same sentences in two languages.

    load_pairs("train.en", "train.it")   two files, line by line (Moses, OPUS, Europarl)
    load_pairs("pairs.tsv")              one file, two columns with a tab between (Anki, Tatoeba)

Tatoeba's own export has four columns (number, sentence, number, translation), and the collections
of Tatoeba sentences at manythings.org have three (sentence, translation, attribution). Both are
recognised automatically.

Parallel text from the web is noisy. `clean_pairs` drops the pairs that would teach a model
nonsense and counts how many it drops for each reason. It cannot detect a translation that looks
right but is wrong.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable

from plainformer.arrays import check_size
from plainformer.files import readable_file

__all__ = ["clean_pairs", "load_pairs"]

Pair = tuple[str, str]


def load_pairs(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str] | None = None,
) -> list[Pair]:
    """Read pairs of sentences from two files, or from one table with tabs.

    The lines of two files are all kept, including empty ones, because dropping one would shift
    every pair after it; blank lines of a table are skipped. The languages of a table are in its
    first two columns, or in the second and fourth if the first and third hold numbers, as in
    Tatoeba's export. Use `clean_pairs` to drop bad pairs.

    Raises:
        ValueError: a file is empty or is not UTF-8; the two files differ in their number of lines;
            a line of a table lacks a column. The message names the file and the line.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder) / "pairs.tsv"
    ...     _ = table.write_text("your cat\\til tuo gatto\\na dog\\tun cane\\n", encoding="utf-8")
    ...     load_pairs(table)
    [('your cat', 'il tuo gatto'), ('a dog', 'un cane')]
    """
    if target is None:
        return _table(source)
    here, there = _lines(source), _lines(target)
    if len(here) != len(there):
        short, longer = sorted(((len(here), str(source)), (len(there), str(target))))
        raise ValueError(
            f"the two files must have the same number of lines; {short[1]} ends after line "
            f"{short[0]:,}, and {longer[1]} has {longer[0]:,}. If a line is missing in the middle, "
            "every pair after it is wrong, so download the files again; do not cut the longer one"
        )
    return list(zip(here, there, strict=True))


def clean_pairs(pairs: Iterable[Pair], *, max_words: int = 40) -> tuple[list[Pair], Counter[str]]:
    """Tidy every sentence, and drop the pairs that would teach a model nothing, or nonsense.

    Tidying means one Unicode form (NFC), single spaces between words, and none at the ends. Returns
    the remaining pairs and how many were dropped for each reason: "empty", "too long" (more than
    `max_words`), "length ratio" (one side has more than two and a half times the words of the other
    and more than five, so it is rarely a translation), "not translated", "duplicate".

    >>> kept, dropped = clean_pairs([("a dog", " un  cane"), ("a dog", "un cane"), ("hello", "")])
    >>> kept, dict(dropped)
    ([('a dog', 'un cane')], {'duplicate': 1, 'empty': 1})
    """
    check_size(max_words, "max_words")
    kept: dict[Pair, None] = {}  # a set that keeps its order
    dropped: Counter[str] = Counter()
    for number, pair in enumerate(pairs):
        if len(pair) != 2 or not all(isinstance(side, str) for side in pair):
            raise TypeError(f"pairs must be pairs of strings; got {pair!r} at {number}")
        source, target = (" ".join(unicodedata.normalize("NFC", side).split()) for side in pair)
        if reason := _fault(source, target, max_words):
            dropped[reason] += 1
        elif (source, target) in kept:
            dropped["duplicate"] += 1
        else:
            kept[source, target] = None
    return list(kept), dropped


def _fault(source: str, target: str, max_words: int) -> str | None:
    """Return the reason to drop a pair, or None to keep it."""
    short, longer = sorted((len(source.split()), len(target.split())))
    if short == 0:
        return "empty"
    if longer > max_words:
        return "too long"
    if longer > 5 and longer > 2.5 * short:
        return "length ratio"
    if source == target and short > 1:  # one word alone may be a name
        return "not translated"
    return None


def _table(source: str | os.PathLike[str]) -> list[Pair]:
    """Read two columns of a tab-separated table."""
    rows = [line.split("\t") for line in _lines(source)]
    first = rows[0]
    numbered = len(first) >= 4 and first[0].strip().isdigit() and first[2].strip().isdigit()
    here, there = (1, 3) if numbered else (0, 1)
    pairs = []
    for number, row in enumerate(rows, start=1):
        if len(row) == 1 and not row[0].strip():
            continue  # an empty line, such as the last one
        if len(row) <= there:
            raise ValueError(
                f"{source}, line {number:,}: expected {there + 1} columns or more, separated by "
                f"tabs; got {len(row)}"
            )
        pairs.append((row[here], row[there]))
    return pairs


def _lines(path: str | os.PathLike[str]) -> list[str]:
    """Split a UTF-8 file at line feeds only, not at the other line breaks of Unicode."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"a path must be a string or a path; got {type(path).__name__}")
    file = readable_file(path)
    data = file.read_bytes().removeprefix(b"\xef\xbb\xbf")  # the byte-order mark
    if not data.strip():
        raise ValueError(f"{file} is empty; expected a sentence on each line")
    data = data.replace(b"\r\n", b"\n").removesuffix(b"\n")
    try:
        return data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        *before, line = data[: error.start + 1].split(b"\n")
        raise ValueError(
            f"{file}, line {len(before) + 1:,}: expected UTF-8 text; byte {len(line)} of the line "
            f"is 0x{line[-1]:02x}. If it is Latin-1 or UTF-16, save it as UTF-8 first"
        ) from error
