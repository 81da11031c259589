"""Reads GIFT as Moodle's importer does, step by step, for the kinds of question that we write."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser

# What an escaped character is kept as until all signs are found; Moodle uses codes in the text.
KEPT = {char: chr(0xE000 + i) for i, char in enumerate("\\~=#{}:\n")}


@dataclass(frozen=True)
class Answer:
    """What can be answered, the share of the points that it gets, and what is said to it."""

    text: str
    share: float
    reply: str
    tolerance: float | None = None


@dataclass(frozen=True)
class Read:
    name: str
    kind: str
    text: str
    answers: tuple[Answer, ...]


def read_gift(file: str) -> tuple[str, list[Read]]:
    """The category of a file, and its questions, which empty lines divide."""
    first, *others = re.split(r"\n\s*\n", file.strip("\n"))
    assert first.startswith("$CATEGORY: ")
    return first.removeprefix("$CATEGORY: "), [_read(each) for each in others]


def _read(written: str) -> Read:
    assert not any(line.strip().startswith("//") for line in written.split("\n"))
    kept = re.sub(r"\\([\\~=#{}:n])", lambda found: KEPT[found[1].replace("n", "\n")], written)
    found = re.fullmatch(r"::(.*?)::\[html\]([^{}]*)\{([^{}]*)\}", kept, re.DOTALL)
    assert found, written
    name, text, answers = found.groups()
    if answers.startswith("#"):
        kind, parts = "numerical", answers[1:].split("=")
    elif "~" in answers:
        kind, parts = "choice", answers.replace("=", "~=").split("~")
    else:
        assert "->" not in answers
        kind, parts = "text", answers.split("=")
    assert not parts[0].strip()
    return Read(_back(name), kind, _back(text), tuple(_answer(kind, each) for each in parts[1:]))


def _answer(kind: str, part: str) -> Answer:
    part = part.strip(" \n")
    share = 0.0 if kind == "choice" else 1.0
    if kind == "choice" and part.startswith("="):
        share, part = 1.0, part[1:]
    if found := re.match(r"%(-?\d{1,2}\.?\d*)%", part):
        share, part = float(found[1]) / 100, part[found.end() :]
    text, sign, reply = part.partition("#")
    assert sign
    tolerance = None
    if kind == "numerical":
        text, _, error = text.partition(":")
        tolerance = float(error)
    return Answer(_back(text.strip(" \n")), share, _back(reply.strip(" \n")), tolerance)


def _back(text: str) -> str:
    for char, place in KEPT.items():
        text = text.replace(place, char)
    return text


class _Blocks(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found += {"code": "`", "em": "*", "br": "\n"}.get(tag, "")

    def handle_endtag(self, tag: str) -> None:
        self.found += {"code": "`", "em": "*"}.get(tag, "")

    def handle_data(self, data: str) -> None:
        self.found += data


def as_text(html: str) -> str:
    """HTML as the text that it was made from: `code`, *emphasis* and line breaks."""
    reader = _Blocks()
    reader.feed(html)
    reader.close()
    return reader.found


def marked(question: Read, typed: str) -> tuple[float, str]:
    """The share of the points, and the reply: of the first answer that fits, as in Moodle."""
    for each in question.answers:
        if each.tolerance is None:
            fits = each.text.replace(r"\*", "*").casefold() == typed.casefold()
        else:
            fits = abs(float(each.text) - float(typed)) <= each.tolerance
        if fits:
            return each.share, as_text(each.reply)
    return 0.0, ""
