"""`TrainingLab`: what it is given, what it says, what it refuses."""

import gzip
import json

from plainformer.widgets import TrainingLab
from plainformer.widgets.training_lab.texts import TEXTS


def test_it_says_what_is_to_be_trained() -> None:
    said = TrainingLab("program", rate=0.002, broken="residuals").description()
    assert "rate of 0.002, and without residual connections. “def mean(values):" in said
    assert TrainingLab().learned == TEXTS["story"]


def test_a_text_of_one_s_own_is_chosen_and_shown_as_text() -> None:
    lab = TrainingLab(own="<b>cat</b> & dog, " * 10)
    assert (lab.text, lab.learned[:6]) == ("own", "<b>cat")
    assert "<b>cat" not in lab.picture()
    assert "&lt;b&gt;cat" in lab.picture()


def test_a_page_carries_the_texts_and_not_the_code() -> None:
    state = json.dumps(TrainingLab().state())
    assert len(gzip.compress(state.encode())) < 6_000
    assert "plainformerTraining" not in state
    assert "plainformerTraining" in TrainingLab().engine["code"]


def test_the_texts_are_a_page_each() -> None:
    for text in TEXTS.values():
        assert 1_000 <= len(text) <= 2_000
        assert text.isascii()
