"""What a type checker takes the results of decoding for; mypy reads this file, nobody runs it.

One prompt gives one text or tree, several give a list. An array may be either, so it says nothing.
"""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from plainformer.decoding import SearchTree, beam_search, generate, greedy_search, sample


def model(ids: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.zeros((len(ids), 2))


def one(prompt: list[int], rng: np.random.Generator) -> None:
    assert_type(greedy_search(model, prompt, max_new_tokens=1), list[int])
    assert_type(sample(model, prompt, max_new_tokens=1, rng=rng), list[int])
    assert_type(beam_search(model, prompt, num_beams=1, max_new_tokens=1), SearchTree)
    for token in generate(model, prompt, max_new_tokens=1, rng=rng):
        assert_type(token, int)


def several(prompts: list[list[int]], rng: np.random.Generator) -> None:
    assert_type(greedy_search(model, prompts, max_new_tokens=1), list[list[int]])
    assert_type(sample(model, prompts, max_new_tokens=1, rng=[rng, rng]), list[list[int]])
    assert_type(beam_search(model, prompts, num_beams=1, max_new_tokens=1), list[SearchTree])
    for tokens in generate(model, prompts, max_new_tokens=1, rng=rng):
        assert_type(tokens, list[int | None])


def array(prompt: NDArray[np.int64]) -> None:
    # `Any` equals no other type here: were the overload for arrays lost, this would be an error.
    assert_type(greedy_search(model, prompt, max_new_tokens=1), Any)
    assert_type(beam_search(model, prompt, num_beams=1, max_new_tokens=1), Any)
