"""Experiments on choosing the next token."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from plainformer.arrays import Array
from plainformer.decoding import (
    beam_search,
    greedy_search,
    log_softmax,
    sequence_log_prob,
    top_p,
)
from plainformer.decoding.experiment import repetition_rate

from .judging import Experiment, Finding
from .measuring import check_text, model, name_of, probabilities, written

__all__ = ["EXPERIMENTS"]

FIRST = 60  # first tokens that a vote considers


def sure_text(answer: Any) -> Finding:
    """A text without repetitions that leaves the model no choice."""
    text = check_text(answer)
    if (n := len(text.split())) < 4:
        words = "1 word" if n == 1 else f"{n} words"
        raise ValueError(f"the text must have at least 4 words; it has {words}")
    _refuse_repetition(text)
    p = probabilities(text)
    best = int(p.argmax())
    return Finding(
        bool(p[best] >= 0.98),
        f"The next token is {name_of(best)} with a probability of {p[best]:.3f}. "
        "The experiment looks for 0.98 or more.",
    )


def _refuse_repetition(text: str) -> None:
    words = [word.lower().strip(".,!?") for word in text.split()]
    if len(set(words)) < len(words):
        raise ValueError("no word may occur twice, because a repetition is easy to continue")


def changed_vote(answer: Any) -> Finding:
    """A text after which the likeliest pair of tokens depends on the temperature."""
    text = check_text(answer)
    cold, hot = _likeliest_pair(text, 0.3), _likeliest_pair(text, 2.0)
    names = [f"“{''.join(model().tokenizer.decode([i]) for i in pair)}”" for pair in (cold, hot)]
    return Finding(
        cold != hot,
        f"At a temperature of 0.3, the likeliest next two tokens are {names[0]}, and at 2.0 they "
        f"are {names[1]}. The experiment looks for two different pairs.",
    )


def _likeliest_pair(text: str, temperature: float) -> tuple[int, int]:
    ids = model().tokenizer.encode(text)
    first = log_softmax(model().next_logits(text) / temperature)
    tried = np.argsort(-first, kind="stable")[:FIRST]
    with torch.no_grad():
        logits: Any = model().model(torch.tensor([[*ids, int(i)] for i in tried]))
    second: Array = log_softmax(logits[:, -1].double().numpy() / temperature)
    both = first[tried][:, None] + second
    i, j = np.unravel_index(both.argmax(), both.shape)
    return int(tried[i]), int(j)


def endless_loop(answer: Any) -> Finding:
    """A text after which greedy search says the same thing again and again."""
    text = check_text(answer, (1, 10))
    _refuse_repetition(text)
    found = greedy_search(model().model, model().tokenizer.encode(text), max_new_tokens=80)
    rate = repetition_rate(found, 80)
    end = written(found[-20:])
    return Finding(
        rate >= 0.45,
        f"Greedy search wrote 80 tokens, and with {100 * rate:.0f} % of them it repeated four "
        f"tokens in a row that it had written before. "
        f"The experiment looks for 45 % or more. The text ends with {end}.",
    )


def better_than_greedy(answer: Any) -> Finding:
    """A text after which a search with four beams finds a much likelier continuation."""
    ids = model().tokenizer.encode(check_text(answer, (1, 12)))
    greedy = greedy_search(model().model, ids, max_new_tokens=5)
    beam = beam_search(model().model, ids, num_beams=4, max_new_tokens=5).sequences[0]
    n = len(ids)
    gain = sequence_log_prob(model().model, beam, n) - sequence_log_prob(model().model, greedy, n)
    return Finding(
        bool(gain >= np.log(8)),
        f"Greedy search goes on with {written(greedy[n:])}, and four beams with "
        f"{written(beam[n:])}, which is {np.exp(gain):.1f} times as likely. "
        "The experiment looks for 8 times or more.",
    )


def wide_nucleus(answer: Any) -> Finding:
    """A text after which nearly anything may follow."""
    text = check_text(answer, (3, 20))
    kept = int(np.isfinite(top_p(model().next_logits(text)[None], 0.9)).sum())
    return Finding(
        kept >= 250,
        f"Top-p with p = 0.9 keeps {kept} of the 2,400 tokens. "
        "The experiment looks for 250 or more.",
    )


EXPERIMENTS = (
    Experiment(
        "decoding.next_token",
        "No choice left",
        "Find a text of at least four different words, none of which occurs twice, after which "
        "course-lm gives one token a probability of 0.98 or more. The answer is a text.",
        sure_text,
        ("From that day on, they were the best of",),
    ),
    Experiment(
        "decoding.temperature",
        "A choice that depends on the temperature",
        "The likeliest next token is the same at every temperature. The likeliest next two tokens "
        "need not be. Find a text after which they differ between the temperatures 0.3 and 2.0. "
        "The answer is a text.",
        changed_vote,
        ("She", "It was", "They saw a"),
    ),
    Experiment(
        "decoding.penalties",
        "Caught in a loop",
        "Find a text of at most ten words, none of them twice, after which greedy search goes "
        "round in circles: of its next 80 tokens, at least 45 % should complete four tokens in a "
        "row that it had written before. The answer is a text.",
        endless_loop,
        ("my cat is",),
    ),
    Experiment(
        "decoding.search",
        "What greedy search misses",
        "Find a text of at most twelve words after which four beams find five tokens that are at "
        "least 8 times as likely, all together, as those of greedy search. The answer is a text.",
        better_than_greedy,
        ("The dog",),
    ),
    Experiment(
        "decoding.sampling",
        "Anything may follow",
        "Find a text of 3 to 20 words after which top-p with p = 0.9 keeps at least 250 of "
        "course-lm's 2,400 tokens. The answer is a text.",
        wide_nucleus,
        ("Tim saw the",),
    ),
)
