"""Answers as readers write them, wrong in a known way: the mistake is recognised, and said.

They stand in `answers/`, a file for each chapter. Above each answer: the exercise's number, and
words that must stand in the hint (or, after "look here", in what is said of the value).
"""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from plainformer.exercises import exercise, exercise_ids, grade
from plainformer.inputs import BPETokenizer

ANSWERS = [
    (f"{path.stem}.{n}", where, said, source)
    for path in sorted(Path(__file__).with_name("answers").glob("*.txt"))
    for n, where, said, source in re.findall(
        r"^# (\d+)(, look here)?: (.*)\n((?:(?!# \d).*\n)*)",
        path.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
]


def test_every_chapter_has_answers_and_all_of_them_are_read():
    assert {id_.rpartition(".")[0] for id_, *_ in ANSWERS} == {
        id_.rpartition(".")[0] for id_ in exercise_ids()
    }
    assert all(source.count("def answer(") == 1 for *_, source in ANSWERS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # theirs
@pytest.mark.parametrize(("id_", "where", "said", "source"), ANSWERS)
def test_a_readers_own_way_of_being_wrong_is_recognised(id_, where, said, source):
    chapter = [exercise(each) for each in exercise_ids(id_.rpartition(".")[0])]
    names = {"np": np, "torch": torch, "BPETokenizer": BPETokenizer} | {
        each.entry: each.reference for each in chapter
    }
    exec(source, names)
    result = grade(exercise(id_), names["answer"])
    words = result.message if where else result.hint or ""
    assert not result and said in words, result.message
