"""What the chapters measure: texts written together are those written alone, loops are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plainformer.decoding import NGramModel, frequency_penalty
from plainformer.decoding.experiment import (
    greedy_with_penalty,
    held_out_logits,
    last_loop,
    repetition_rate,
)


def table(ids: Any) -> Any:
    """After each token its own row of numbers."""
    return np.random.default_rng(0).normal(size=(9, 9))[ids[:, -1]]


def charge(z: Any, output: Any, text: Any) -> Any:
    return frequency_penalty(z, output, 0.3)


def test_texts_that_are_written_together_are_those_written_alone() -> None:
    prompts = np.array([[1, 2], [3, 4], [5, 6]])
    together = greedy_with_penalty(table, prompts, charge, 12)
    assert together.shape == (3, 12)
    for prompt, text in zip(prompts, together, strict=True):
        alone = greedy_with_penalty(table, prompt[None], charge, 12)
        assert alone[0].tolist() == text.tolist()


def test_a_penalty_is_told_of_the_output_and_of_all_that_was_said() -> None:
    seen = []

    def listen(z: Any, output: Any, text: Any) -> Any:
        seen.append((output.copy(), text))
        return z

    written = greedy_with_penalty(table, np.array([[7, 7]]), listen, 3)[0]
    for step, (output, text) in enumerate(seen):
        assert output[0].tolist() == np.bincount(written[:step], minlength=9).tolist()
        assert (text - output)[0].tolist() == [0, 0, 0, 0, 0, 0, 0, 2, 0]


@pytest.mark.parametrize(("start", "period"), [(0, 1), (5, 3), (40, 17)])
def test_a_loop_is_found_where_it_begins(start: int, period: int) -> None:
    text = [100 + i for i in range(start)] + [i % period for i in range(60)]
    assert last_loop(text, window=50, longest=20) == (start, period)


def test_where_nothing_comes_back_there_is_no_loop() -> None:
    text = list(range(30))
    assert last_loop(text, window=20, longest=10) is None
    assert repetition_rate(text, last=10) == 0
    assert repetition_rate([*text, *text], last=10) == 1


def test_the_tenth_that_is_kept_apart_is_not_read() -> None:
    ids = np.random.default_rng(1).integers(0, 6, size=400)
    z, right = held_out_logits(ids, tenth=6, vocab_size=6)
    of_the_rest = NGramModel(4, vocab_size=6).fit(np.concatenate([ids[:200], ids[240:]]))
    assert right.tolist() == ids[203:240:5].tolist()
    assert (z == [of_the_rest(ids[None, at - 3 : at])[0] for at in range(203, 240, 5)]).all()
