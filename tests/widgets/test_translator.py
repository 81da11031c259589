"""Translator in Python: what it finds, what it refuses, what it carries to a page."""

import numpy as np
import pytest
from tests.widgets.translators import random_translator, swapped, trained, translator

from plainformer.training.tasks.translation import Translator as Trained
from plainformer.training.tasks.translation import alignment
from plainformer.widgets import Translator
from plainformer.widgets.translator.search import STATUSES


def test_it_translates_as_the_package_does() -> None:
    widget = translator()
    for text in ("the dogs see a cat", "Anna and MARCO don't dance", "your parrot is lovely"):
        for k in (1, 3):
            widget.text, widget.num_beams = text, k
            assert [widget.translation] == trained().translate([text.lower()], num_beams=k)
            wanted = alignment(trained(), text.lower(), widget.translation).numpy()
            assert widget.alignment is not None
            np.testing.assert_allclose(widget.alignment, wanted, rtol=0, atol=1e-5)
    assert widget.unknown == ["parrot"]


def test_nothing_to_translate_is_said() -> None:
    widget = translator(" ")
    assert (widget.translation, widget.alignment, widget.tree, widget.unknown) == (
        "",
        None,
        None,
        [],
    )
    assert "nothing to translate" in widget.description()
    assert "Nothing to translate yet." in widget.html()


def test_what_a_page_carries_is_the_first_search() -> None:
    widget = translator(num_beams=2)
    first, tree = widget.data["first"], widget.tree
    assert tree is not None
    assert first["ids"] == widget.ids
    assert len(first["nodes"]) == len(tree.nodes)
    for (parent, step, token, score, status), node in zip(first["nodes"], tree.nodes, strict=True):
        assert (parent, step, token) == (
            -1 if node.parent is None else node.parent, node.step,
            -1 if node.token is None else node.token,
        )  # fmt: skip
        assert abs(score - node.score) < 1e-6
        assert STATUSES[status] == node.status
    parents = {node.parent for node in tree.nodes[1:]}
    assert {i for i, looks in enumerate(first["looks"]) if looks} == parents
    assert widget.state()["weights"]["file"].startswith("course-translator-")
    assert len(widget.weights["data"]) == widget.state()["weights"]["size"]


@pytest.mark.parametrize("norm_place", ["pre", "post"])
def test_a_word_takes_its_vector_from_another_sentence(norm_place: str) -> None:
    """As the chapter does it: one row of what the encoder returns is replaced."""
    some = random_translator(2, 2, norm_place=norm_place)
    widget = Translator(some, "a b donau", donor="c d e", num_beams=2)
    own = widget.translation
    for place in range(3):
        widget.patched = place
        tree, looks = swapped(some, widget.ids, widget.donor, place, num_beams=2)
        assert widget.tree is not None
        assert widget.tree.sequences == tree.sequences
        assert widget.alignment is not None
        np.testing.assert_allclose(widget.alignment, looks, rtol=0, atol=1e-5)
    assert "“⇄ donau” has its vector from “c d e”." in widget.description()
    assert "⇄ donau" in widget.picture()
    widget.patched = None
    assert widget.translation == own and "⇄" not in widget.picture()
    widget.patched, widget.text = 0, "a b"
    assert "has its vector" not in widget.description()  # the donor has another length


def test_the_vector_of_red_decides_between_rosso_and_rossa() -> None:
    widget = translator("the letter is red", donor="the book is red")
    found = []
    for place in (None, 0, 1, 2, 3):
        widget.patched = place
        found.append(widget.translation)
    ours = "la lettera è rossa"
    assert found == [ours, ours, "il libro è rossa", ours, "la lettera è rosso"]


def test_a_reader_of_another_model_gets_its_picture_in_a_page() -> None:
    widget = Translator(random_translator(4, 4), "donau " * 24, num_beams=4)
    assert widget.data["first"] is None  # it would weigh too much
    assert widget.state()["weights"] is None
    assert "<svg" in widget.picture()


def test_what_is_no_translator_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^translator must have an EncoderDecoder .*; got str$"):
        Translator("course-translator")
    with pytest.raises(ValueError, match=r"at most 12 layers; got 13$"):
        Translator(random_translator(13, 1))
    mixed = Trained(random_translator(1, 1).model, trained().vocabulary)
    with pytest.raises(
        ValueError, match=r"vocabulary must have 14 words, as its model has; got 843$"
    ):
        Translator(mixed)
