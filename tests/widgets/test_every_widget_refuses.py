"""What every widget owes whoever sets it from Python: a mistake is named, and changes nothing.

The traits say themselves what they take. What is odd is tried on each of them, and where an error
names a range, its ends are tried too: both are taken, and what is just beyond them is not.
"""

import inspect
import json
import math
import re
from typing import Any

import pytest
from tests.widgets.cases import SIX, TABLE, Case, K, Q, V, every
from tests.widgets.glass import random_decoder
from tests.widgets.translators import random_translator

from plainformer.attention.example import TOKENS
from plainformer.inputs import BPETokenizer
from plainformer.training import History
from plainformer.widgets.kit.base import ValidatedTrait, Widget

ODD: list[Any] = [
    object(), "zzzz", "", b"x", True, None, math.nan, math.inf, -1e9, 1e9, 10**9, -(10**9), 1.5, [],
    ["a"], {"a": 1}, [[]], [math.nan], "x\ud83d",
]  # fmt: skip
END = r"(-?[\d.,e-]*\d)"
RANGE = rf"must be from {END} to {END}\b.*; got"

# What an error calls a trait where that is not the trait's own name.
CALLED = {"history": "every length", "vectors": "keys"}


def arguments(kind: type[Widget], tokenizer: BPETokenizer) -> dict[str, Any]:
    """Return an example of each argument that a widget cannot be made without."""
    # Of __init__, because Pythons differ in whether a class has the signature of __new__.
    _, *parameters = inspect.signature(kind.__init__).parameters.values()
    needed = [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    given: dict[str, Any] = {
        "tokens": TOKENS, "weights": SIX, "tokenizer": tokenizer, "table": TABLE,
        "words": TOKENS, "probabilities": [SIX] * 2,
        "q": Q, "k": K, "v": V,
        "model": random_decoder(tokenizer.vocab_size, n_layers=1, n_heads=1),
        "history": History("toy"),
        "translator": random_translator(1, 1),
    }  # fmt: skip
    assert set(needed) <= set(given), "add an example of each required argument to `given` above"
    return {name: given[name] for name in needed}


def refusal(widget: Widget, name: str, value: Any) -> str:
    """Return what is said of a value that a trait does not take; empty where it takes it.

    What is refused leaves every trait as it was.
    """
    before, state = getattr(widget, name), json.dumps(widget.state())
    try:
        setattr(widget, name, value)
    except (TypeError, ValueError) as error:
        assert json.dumps(widget.state()) == state
        said = str(error)
        if re.search(RANGE, said):
            assert type(error) is ValueError, said
        elif re.search("whole number|True or False|be a number|be a str;", said):
            assert type(error) is TypeError, said
        assert name in said or CALLED.get(name, name) in said, f"{name} = {value!r}: {said}"
        return said
    json.dumps(widget.state(), allow_nan=False)  # what is taken, a page can be sent
    setattr(widget, name, before)
    return ""


def beyond(widget: Widget, name: str, said: str) -> list[float]:
    """Return what is just beyond the range that an error names, whose ends are within it."""
    found = re.search(rf"\b{name} {RANGE}", said)
    if not found:
        return []
    low, high = (float(end.replace(",", "")) for end in found.groups())
    if "whole number" in refusal(widget, name, 0.5) + refusal(widget, name, "zzzz"):
        ends: list[float] = [int(low), int(high)]
        outside: list[float] = [int(low) - 1, int(high) + 1]
    else:
        ends, outside = [low, high], [low - 1e-9, high + 1e-6]
    for end in ends:  # which may have to be a multiple of something else
        assert not re.search(RANGE, refusal(widget, name, end)), said
    return outside


@every
def test_a_mistake_is_named_and_changes_nothing(case: Case, tokenizer: BPETokenizer) -> None:
    widget = case.usual(tokenizer)
    needed = arguments(type(widget), tokenizer)
    for name, kind in widget.traits().items():
        if not isinstance(kind, ValidatedTrait):
            continue
        said = [refusal(widget, name, value) for value in ODD]
        assert said[0], f"{name} takes any object"
        outside = {value for each in set(said) for value in beyond(widget, name, each)}
        for value in outside:
            assert refusal(widget, name, value), f"{name} = {value}"
        if name in inspect.signature(type(widget).__init__).parameters:
            with pytest.raises((TypeError, ValueError)):
                type(widget)(**needed | {name: ODD[0]})


@every
def test_an_unknown_option_is_an_error(case: Case, tokenizer: BPETokenizer) -> None:
    kind = type(case.usual(tokenizer))
    needed = arguments(kind, tokenizer)
    option = list(inspect.signature(kind.__init__).parameters)[-2]  # the last before **options
    misspelt = option[:-1] + "_" + option[-1]
    with pytest.raises(TypeError, match=f"{kind.__name__} has no option {misspelt}; did you mean"):
        kind(**needed, **{misspelt: 1})
    with pytest.raises(TypeError, match=f"no option zzzz; it has .*{option}"):
        kind(**needed, zzzz=1)
    assert kind(**needed, tooltip="a picture").tooltip == "a picture"  # ipywidgets has it
