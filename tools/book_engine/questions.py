"""``question``: a question in the text, to be answered before the text tells.

Each choice has a sentence of its own, so that a wrong one teaches, too::

    :::{question} How many scores do six tokens make?
    - [ ] 6: That is one row: what a single token asks.
    - [x] 36: Each of the six asks each of the six, itself too.
    :::

Where a reader types a number, ``:answer:`` is the right one and the list holds what to say to
whom; ``else`` is for all other numbers, and ``:within:`` says how far off is still right::

    :::{question} How many weights sum to 1?
    :answer: 6
    - 6: One row for each token.
    - 36: That is all of them, and together they sum to 6.
    - else: Each row has its own softmax. How many rows are there?
    :::

The page holds the question, the choices and a fold with all answers. ``questions.js`` makes buttons
or a box of it; without scripts one reads the choices and opens the fold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from .boxes import box, box_title

CHOICE = re.compile(r"- \[(?P<mark>[ x])\] (?P<text>.+?): (?P<reply>.+)")
NUMBER = re.compile(r"- (?P<text>[^:]+): (?P<reply>.+)")


class QuestionError(ValueError):
    """A question that nobody could answer rightly, or that says nothing to some answer."""


@dataclass(frozen=True)
class Answer:
    """One answer: what is chosen or typed, what is said to it, whether it is right."""

    text: str
    reply: str
    right: bool


def read_answers(body: Sequence[str], answer: str | None) -> list[Answer]:
    """Return the answers of a question's body; `answer` is the right number, None for choices.

    Raises `QuestionError` unless the body is a list of answers, two or more, and exactly one of
    them is right; for a number one of them is ``else``, the last.

    >>> read_answers(["- [ ] 6: One row.", "- [x] 36: Six rows", "  of six."], None)[1]
    Answer(text='36', reply='Six rows of six.', right=True)
    >>> read_answers(["- 6: Yes.", "- else: Count the rows."], "6")[0].right
    True
    """
    items: list[str] = []
    for line in body:
        if line.startswith("- "):
            items.append(line.rstrip())
        elif line.strip():
            if not items or not line.startswith("  "):
                raise QuestionError(f"each line is an answer, or goes on with one; got {line!r}")
            items[-1] += " " + line.strip()
    found = [read_answer(item, answer) for item in items]
    right = sum(each.right for each in found)
    if right != 1 or len(found) < 2:
        raise QuestionError(f"one answer of two or more is right; got {right} of {len(found)}")
    if answer is not None and found[-1].text != "else":
        raise QuestionError("the last answer is 'else', for all other numbers")
    return found


def read_answer(item: str, answer: str | None) -> Answer:
    """Return one item of the list as an answer."""
    form = CHOICE if answer is None else NUMBER
    match = form.fullmatch(item)
    if match is None:
        shape = "- [x] choice: reply" if answer is None else "- number: reply"
        raise QuestionError(f"an answer is written {shape!r}; got {item!r}")
    text = match["text"].strip()
    if answer is None:
        return Answer(text, match["reply"], match["mark"] == "x")
    if text != "else" and not is_number(text):
        raise QuestionError(f"an answer is a number or 'else'; got {text!r}")
    right = text != "else" and float(text) == float(answer)
    return Answer(text, match["reply"], right)


def is_number(text: str) -> bool:
    """True for a finite decimal number.

    >>> is_number("0.5"), is_number("a half"), is_number("nan")
    (True, False, False)
    """
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class Question(SphinxDirective):
    """The directive."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = {"answer": str, "within": float}

    def run(self) -> list[nodes.Node]:
        """Return the box: the question, its choices, and all answers in a fold."""
        answer = self.options.get("answer")
        if answer is not None and not is_number(answer):
            raise self.error(f":answer: is a number; got {answer!r}")
        try:
            answers = read_answers(list(self.content), answer)
        except QuestionError as problem:
            raise self.error(str(problem)) from problem
        number = self.env.new_serialno("pf-box")
        made = box("", kind="question", folded=False, title_id=f"pf-box-{number}")
        self.set_source_info(made)
        title = box_title("", "", label="Question", title_id=made["title_id"], folded=False)
        title += self.inline(self.arguments[0])
        made += title
        if answer is None:
            listed = nodes.bullet_list(classes=["pf-choices"])
            for each in answers:
                listed += nodes.list_item("", nodes.paragraph("", "", *self.inline(each.text)))
            made += listed
        else:
            made["data"] = {"within": f"{self.options.get('within', 0):g}"}
        made += self.all_answers(answers, f"pf-box-{number}-answers")
        return [made]

    def all_answers(self, answers: list[Answer], title_id: str) -> box:
        """Return the fold that says something to each answer."""
        made = box("", kind="answers", folded=True, title_id=title_id)
        made += box_title("", "", nodes.Text("Answer"), label="", title_id=title_id, folded=True)
        listed = nodes.definition_list(classes=["pf-replies"])
        for each in answers:
            text = "Any other" if each.text == "else" else each.text
            term = nodes.term("", "", *self.inline(text))
            term["classes"] = ["pf-right"] if each.right else []
            reply = nodes.definition("", nodes.paragraph("", "", *self.inline(each.reply)))
            listed += nodes.definition_list_item("", term, reply)
        made += listed
        return made

    def inline(self, text: str) -> list[nodes.Node]:
        """Return a line of MyST as nodes."""
        children, messages = self.parse_inline(text)
        return [*children, *messages]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("question", Question)
