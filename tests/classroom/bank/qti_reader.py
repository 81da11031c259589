"""What QTI 2.1 allows, for the elements that are written, and what an item does with a response.

`MODEL` follows the information model of the specification by hand: the attributes that an element
must and may have, and its children in their order. Elements that are not written are left out, so
an item that passes here keeps to a part of the official schema, if `MODEL` was written correctly.
"""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

NAMESPACE = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"

INLINE = "((code|em|br) )*"
BLOCKS = "((p|pre) )*"
IN_BODY = "((p|pre|choiceInteraction|orderInteraction) )+"
EXPRESSION = "((variable|correct|baseValue|ordered|match|member|or|equal|stringMatch) )"
RULES = "((setOutcomeValue|responseCondition) )*"

# Each element: attributes that it must have, others that it may have, children, and text or not.
MODEL = {
    "assessmentItem": (
        "identifier title adaptive timeDependent", f"label toolName toolVersion {LANG}",
        "(responseDeclaration )*(outcomeDeclaration )*(itemBody )?(responseProcessing )?"
        "(modalFeedback )*", False,
    ),
    "responseDeclaration": (
        "identifier cardinality baseType", "", "(defaultValue )?(correctResponse )?", False,
    ),
    "outcomeDeclaration": (
        "identifier cardinality baseType", "normalMaximum normalMinimum", "(defaultValue )?", False,
    ),
    "correctResponse": ("", "interpretation", "(value )+", False),
    "defaultValue": ("", "interpretation", "(value )+", False),
    "value": ("", "", "", True),
    "itemBody": ("", "", IN_BODY, False),
    "p": ("", "", "((code|em|br|textEntryInteraction) )*", True),
    "pre": ("", "", INLINE, True),
    "code": ("", "", INLINE, True),
    "em": ("", "", INLINE, True),
    "br": ("", "", "", False),
    "textEntryInteraction": ("responseIdentifier", "expectedLength", "", False),
    "choiceInteraction": (
        "responseIdentifier shuffle maxChoices", "minChoices", "(prompt )?(simpleChoice )+", False,
    ),
    "orderInteraction": (
        "responseIdentifier shuffle", "minChoices maxChoices", "(prompt )?(simpleChoice )+", False,
    ),
    "simpleChoice": ("identifier", "fixed", "((p|pre|code|em|br) )*", True),
    "responseProcessing": ("", "template", RULES, False),
    "responseCondition": ("", "", "responseIf (responseElseIf )*(responseElse )?", False),
    "responseIf": ("", "", EXPRESSION + RULES, False),
    "responseElseIf": ("", "", EXPRESSION + RULES, False),
    "responseElse": ("", "", RULES, False),
    "setOutcomeValue": ("identifier", "", EXPRESSION, False),
    "variable": ("identifier", "", "", False),
    "correct": ("identifier", "", "", False),
    "baseValue": ("baseType", "", "", True),
    "ordered": ("", "", EXPRESSION + "*", False),
    "or": ("", "", EXPRESSION + "+", False),
    "match": ("", "", EXPRESSION + "{2}", False),
    "member": ("", "", EXPRESSION + "{2}", False),
    "equal": ("toleranceMode", "tolerance", EXPRESSION + "{2}", False),
    "stringMatch": ("caseSensitive", "substring", EXPRESSION + "{2}", False),
    "modalFeedback": ("outcomeIdentifier identifier showHide", "title", BLOCKS, True),
}  # fmt: skip
VALUES = {
    "adaptive": "true|false",
    "timeDependent": "true|false",
    "shuffle": "true|false",
    "caseSensitive": "true|false",
    "cardinality": "single|multiple|ordered|record",
    "baseType": "identifier|boolean|integer|float|string",
    "showHide": "show|hide",
    "toleranceMode": "exact|absolute|relative",
    "tolerance": r"[\d.]+( [\d.]+)?",
    "normalMaximum": r"[\d.]+",
    "minChoices": r"\d+",
    "maxChoices": r"\d+",
    "expectedLength": r"\d+",
    "identifier": r"[A-Za-z_][\w.-]*",
    "responseIdentifier": r"[A-Za-z_][\w.-]*",
    "outcomeIdentifier": r"[A-Za-z_][\w.-]*",
}


def name(element: Element) -> str:
    assert element.tag.startswith(NAMESPACE), element.tag
    return element.tag.removeprefix(NAMESPACE)


def all_of(item: Element, tag: str) -> list[Element]:
    return item.findall(f".//{NAMESPACE}{tag}")


def check_shape(element: Element) -> None:
    """An element, and each one in it, has the attributes, children and text that it may have."""
    must, may, children, text = MODEL[name(element)]
    given = {*element.attrib}
    assert {*must.split()} <= given <= {*must.split(), *may.split()}, (name(element), given)
    for key, value in element.attrib.items():
        assert re.fullmatch(VALUES.get(key, r"(?s).+"), value, re.ASCII), (key, value)
    inside = "".join(f"{name(child)} " for child in element)
    assert re.fullmatch(children, inside), (name(element), inside)
    said = [element.text, *(child.tail for child in element)]
    assert text or not any((each or "").strip() for each in said), (name(element), said)
    for child in element:
        check_shape(child)


def check_names(item: Element) -> None:
    """Whatever an item refers to is there, once: choices, variables and replies."""
    declared = [
        each.get("identifier")
        for tag in ("responseDeclaration", "outcomeDeclaration")
        for each in all_of(item, tag)
    ]
    choices = [each.get("identifier") for each in all_of(item, "simpleChoice")]
    replies = [each.get("identifier") for each in all_of(item, "modalFeedback")]
    for names in (declared, choices, replies):
        assert len({*names}) == len(names), names
    for tag, key in (
        ("variable", "identifier"), ("correct", "identifier"), ("setOutcomeValue", "identifier"),
        ("modalFeedback", "outcomeIdentifier"), ("choiceInteraction", "responseIdentifier"),
        ("orderInteraction", "responseIdentifier"), ("textEntryInteraction", "responseIdentifier"),
    ):  # fmt: skip
        assert all(each.get(key) in declared for each in all_of(item, tag)), tag
    (response,) = all_of(item, "responseDeclaration")
    known = {*choices, *replies}
    if response.get("baseType") == "identifier":
        assert all(each.text in choices for each in response.iter(f"{NAMESPACE}value"))
    for each in all_of(item, "baseValue"):
        assert each.get("baseType") != "identifier" or each.text in known, each.text


def right_response(item: Element) -> str | tuple[str, ...]:
    """The response that the item declares as correct."""
    (response,) = all_of(item, "responseDeclaration")
    values = tuple(each.text or "" for each in response.iter(f"{NAMESPACE}value"))
    return values if response.get("cardinality") == "ordered" else values[0]


def processed(item: Element, response: str | Sequence[str]) -> tuple[float, str]:
    """What an item makes of a response: the score, and the text of the reply."""
    state: dict[str, object] = {"SCORE": 0.0, "FEEDBACK": None, "RESPONSE": response}
    (rules,) = all_of(item, "responseProcessing")
    for rule in rules:
        _obey(rule, state, item)
    said = [
        as_text(each)
        for each in all_of(item, "modalFeedback")
        if each.get("identifier") == state["FEEDBACK"]
    ]
    return float(str(state["SCORE"])), "".join(said)


def _obey(rule: Element, state: dict[str, object], item: Element) -> None:
    if name(rule) == "setOutcomeValue":
        state[rule.get("identifier", "")] = _value(rule[0], state, item)
        return
    for branch in rule:
        conditional = name(branch) != "responseElse"
        if not conditional or _value(branch[0], state, item):
            for each in branch[conditional:]:
                _obey(each, state, item)
            return


def _value(element: Element, state: dict[str, object], item: Element) -> object:
    kind = name(element)
    if kind == "variable":
        return state[element.get("identifier", "")]
    if kind == "correct":
        return right_response(item)
    if kind == "baseValue":
        return element.text or ""
    parts = [_value(each, state, item) for each in element]
    if kind == "ordered":
        return tuple(parts)
    if kind == "or":
        return any(parts)
    if kind == "equal":
        return abs(float(str(parts[0])) - float(str(parts[1]))) <= float(
            element.get("tolerance", "0")
        )
    if kind == "member":
        assert isinstance(parts[1], tuple)
        return parts[0] in parts[1]
    assert kind in ("match", "stringMatch")
    return parts[0] == parts[1]


def as_text(element: Element) -> str:
    """An element as the text that it was made from: `code`, *emphasis* and line breaks."""
    around = {"code": "`", "em": "*"}
    text = element.text or ""
    for child in element:
        sign = around.get(name(child), "")
        text += f"{sign}{as_text(child)}{sign}" + "\n" * (name(child) == "br") + (child.tail or "")
    return text
