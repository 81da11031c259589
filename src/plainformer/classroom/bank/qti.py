"""A question as an item of IMS QTI 2.1 (IMS Question and Test Interoperability, version 2.1).

The element names, their order and their attributes follow the specification's information model.
The official schema, imsqti_v2p1.xsd, is in no package that we could pin, so no item was checked
against it: the tests check each item against the parts of the content model that are used here,
written down by hand, and read it back. No learning platform has imported a package yet.

A reply is a `modalFeedback`, which the answer itself or the response processing chooses. Lists and
texts are compared letter by letter (see `spellings`), and single numbers with a tolerance. In an
`orderInteraction`, `minChoices` and `maxChoices` leave one line over, the one that does not belong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from plainformer.classroom.bank.markup import add_blocks, add_option, add_rich, legal
from plainformer.classroom.bank.questions import (
    Arrange,
    Choose,
    Option,
    Question,
    TypeIn,
    arrange,
    what_goes_wrong,
    what_is_returned,
)
from plainformer.classroom.bank.spellings import is_number, spellings
from plainformer.exercises.practice import FindTheBug, OrderTheLines, Task, WhatComesOut
from plainformer.exercises.practice.values import TOLERANCE

__all__ = ["NAMESPACE", "as_item", "identifier", "qti_questions"]

NAMESPACE = "http://www.imsglobal.org/xsd/imsqti_v2p1"
OTHERWISE = "That is not what the call returns, and it is none of the usual mistakes."
WRONG_ORDER = (
    "In this order it does not do what it should. A line comes after those that set the names "
    "that it uses, and before those that change them."
)
RIGHT_ORDER = "In this order it does what it should."


def qti_questions(task: Task) -> Sequence[Question]:
    """The questions that a task becomes in QTI.

    Raises:
        LeftOut: more orders of its lines are right than can be listed.
    """
    if isinstance(task, WhatComesOut):
        return [what_is_returned(task)]
    if isinstance(task, FindTheBug):
        return what_goes_wrong(task)
    assert isinstance(task, OrderTheLines)
    return [arrange(task)]


def identifier(name: str) -> str:
    """A question's name as QTI and XML take it: letters, digits, and - _ .

    >>> identifier("attention.masking.2/bug-1a2b/line")
    'attention.masking.2_bug-1a2b_line'
    """
    return re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)


def as_item(question: Question) -> bytes:
    """A question as an XML file.

    >>> from plainformer.classroom.bank.questions import Block
    >>> options = (Option("x <= y", "Yes.", True), Option("x < y", "No.", False))
    >>> item = as_item(Choose("f/mend", "f", (Block("Which?"),), options)).decode()
    >>> item.count("<simpleChoice"), "x &lt;= y" in item
    (2, True)
    """
    item = Element(
        "assessmentItem", xmlns=NAMESPACE, identifier=identifier(question.name),
        title=legal(question.title), adaptive="false", timeDependent="false",
    )  # fmt: skip
    item.set("xml:lang", "en")
    body = Element("itemBody")
    add_blocks(body, question.stem)
    processing = Element("responseProcessing")
    replies: list[tuple[str, str]]
    if isinstance(question, Choose):
        replies = _choose(question, item, body, processing)
    elif isinstance(question, Arrange):
        replies = _arrange(question, item, body, processing)
    else:
        assert isinstance(question, TypeIn)
        replies = _type_in(question, item, body, processing)
    score = SubElement(
        item, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float",
        normalMaximum="1",
    )  # fmt: skip
    SubElement(SubElement(score, "defaultValue"), "value").text = "0"
    SubElement(
        item, "outcomeDeclaration", identifier="FEEDBACK", cardinality="single",
        baseType="identifier",
    )  # fmt: skip
    item.extend([body, processing])
    for name, text in replies:
        shown = SubElement(
            item, "modalFeedback", outcomeIdentifier="FEEDBACK", identifier=name, showHide="show"
        )
        add_rich(SubElement(shown, "p"), text)
    indent(processing)  # and nothing else: white space in the text would be shown
    data: bytes = tostring(item, "utf-8", xml_declaration=True)
    return data


def _choose(
    question: Choose, item: Element, body: Element, processing: Element
) -> list[tuple[str, str]]:
    names = [f"CHOICE_{i}" for i in range(1, len(question.options) + 1)]
    right = [name for name, each in zip(names, question.options, strict=True) if each.right]
    _declare(item, "single", "identifier", right)
    asked = SubElement(
        body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="false", maxChoices="1"
    )
    for name, option in zip(names, question.options, strict=True):
        add_option(SubElement(asked, "simpleChoice", identifier=name), option)
    condition = SubElement(processing, "responseCondition")
    branch = SubElement(condition, "responseIf")
    match = SubElement(branch, "match")
    SubElement(match, "variable", identifier="RESPONSE")
    SubElement(match, "correct", identifier="RESPONSE")
    _score(branch)
    told = SubElement(processing, "setOutcomeValue", identifier="FEEDBACK")
    SubElement(told, "variable", identifier="RESPONSE")
    return [(name, each.reply) for name, each in zip(names, question.options, strict=True)]


def _type_in(
    question: TypeIn, item: Element, body: Element, processing: Element
) -> list[tuple[str, str]]:
    number = is_number(question.answer)
    right = [str(question.answer)] if number else spellings(question.answer)
    right += [question.shown] * (not number and question.shown not in right)
    _declare(item, "single", "float" if number else "string", right[:1])
    place = SubElement(body, "p")
    place.text = "Result: "
    length = 8 if number else max(20, len(right[0]) + 5)
    SubElement(
        place, "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength=str(length)
    )
    condition = SubElement(processing, "responseCondition")
    branch = SubElement(condition, "responseIf")
    _is_any_of(branch, right, number)
    _score(branch)
    _tell(branch, "RIGHT")
    replies, seen = [("RIGHT", question.reply)], {*right}
    for i, (value, reply) in enumerate(question.wrong, start=1):
        if number and not is_number(value):
            continue
        texts = [str(value)] if number else spellings(value, all_of_them=False)
        if new := [text for text in texts if text not in seen]:
            seen.update(new)
            branch = SubElement(condition, "responseElseIf")
            _is_any_of(branch, new, number)
            _tell(branch, f"WRONG_{i}")
            replies.append((f"WRONG_{i}", reply))
    _tell(SubElement(condition, "responseElse"), "OTHERWISE")
    return [*replies, ("OTHERWISE", OTHERWISE)]


def _arrange(
    question: Arrange, item: Element, body: Element, processing: Element
) -> list[tuple[str, str]]:
    # Numbered as they are shown, because their numbers in the function would tell.
    names = {i: f"LINE_{at}" for at, i in enumerate(question.shuffled, start=1)}
    extra = len(question.pieces) - 1
    orders = [[names[i] for i in order] for order in question.orders]
    _declare(item, "ordered", "identifier", orders[0])
    asked = SubElement(
        body, "orderInteraction", responseIdentifier="RESPONSE", shuffle="false",
        minChoices=str(extra), maxChoices=str(extra),
    )  # fmt: skip
    for i in question.shuffled:
        choice = SubElement(asked, "simpleChoice", identifier=names[i])
        add_option(choice, Option(question.pieces[i], "", i != extra))
    condition = SubElement(processing, "responseCondition")
    branch = SubElement(condition, "responseIf")
    either = SubElement(branch, "or")
    for order in orders:
        match = SubElement(either, "match")
        SubElement(match, "variable", identifier="RESPONSE")
        _values(SubElement(match, "ordered"), "identifier", order)
    _score(branch)
    _tell(branch, "RIGHT")
    branch = SubElement(condition, "responseElseIf")
    member = SubElement(branch, "member")
    _values(member, "identifier", [names[extra]])
    SubElement(member, "variable", identifier="RESPONSE")
    _tell(branch, "EXTRA")
    _tell(SubElement(condition, "responseElse"), "WRONG")
    return [("RIGHT", RIGHT_ORDER), ("EXTRA", question.extra), ("WRONG", WRONG_ORDER)]


def _declare(item: Element, cardinality: str, base: str, right: Iterable[str]) -> None:
    declared = SubElement(
        item, "responseDeclaration", identifier="RESPONSE", cardinality=cardinality, baseType=base
    )
    correct = SubElement(declared, "correctResponse")
    for value in right:
        SubElement(correct, "value").text = legal(value)


def _is_any_of(branch: Element, texts: Sequence[str], number: bool) -> None:
    """Add the condition that the response is one of these numbers, or one of these texts."""
    either = SubElement(branch, "or")
    for text in texts:
        if number:
            same = SubElement(either, "equal", toleranceMode="absolute", tolerance=str(TOLERANCE))
        else:
            same = SubElement(either, "stringMatch", caseSensitive="true")
        SubElement(same, "variable", identifier="RESPONSE")
        _values(same, "float" if number else "string", [text])


def _values(parent: Element, base: str, texts: Iterable[str]) -> None:
    for text in texts:
        SubElement(parent, "baseValue", baseType=base).text = legal(text)


def _score(branch: Element) -> None:
    _values(SubElement(branch, "setOutcomeValue", identifier="SCORE"), "float", ["1"])


def _tell(branch: Element, name: str) -> None:
    _values(SubElement(branch, "setOutcomeValue", identifier="FEEDBACK"), "identifier", [name])
