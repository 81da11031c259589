"""What more computation buys when a model answers: one of several samples has to be chosen.

Four ways to choose are compared on held-out prompts of the sorting task. Only the last of them
needs a program that can check an answer.
"""

from __future__ import annotations

import torch

from plainformer.arrays import check_size
from plainformer.assistant.digits import (
    answer_log_p,
    digit_prompts,
    is_sorted_copy,
    sample_answers,
    sorted_digits,
)
from plainformer.assistant.rewards import best_of_n, majority_vote
from plainformer.blocks import DecoderOnly
from plainformer.training.evaluate import evaluation_mode

__all__ = ["compare_choices"]


def compare_choices(
    model: DecoderOnly, n: int = 16, *, prompts: int = 300, seed: int = 0
) -> dict[str, float]:
    """Return the share of prompts that are answered right, for each way to choose an answer.

    The ways are "one sample", "greedy" decoding, the "majority vote" among n samples
    (self-consistency), the "most likely" of n samples, and the best of n by the reward, "checked",
    which is right as soon as one of the samples is.

    >>> from plainformer.assistant.digits import digit_model
    >>> list(compare_choices(digit_model(), n=2, prompts=3))
    ['one sample', 'greedy', 'majority vote', 'most likely', 'checked']
    """
    rng = torch.Generator().manual_seed(2_000_000 + check_size(seed, "seed", least=0))
    asked = digit_prompts(prompts, rng, held_out=True)
    samples = sample_answers(model, asked, n, rng)  # (N, n, 5)
    greedy = sample_answers(model, asked, 1, rng, temperature=0.0)[:, 0].tolist()
    with evaluation_mode(model):
        flat = samples.flatten(0, 1)
        log_p = answer_log_p(model, asked.repeat_interleave(n, dim=0), flat).sum(-1)
    likely = log_p.view(-1, n).tolist()
    rewards = is_sorted_copy(asked, samples).tolist()
    right = dict.fromkeys(("one sample", "greedy", "majority vote", "most likely", "checked"), 0)
    for i, want in enumerate(sorted_digits(asked).tolist()):
        answers = [tuple(each) for each in samples[i].tolist()]
        chosen = {
            "one sample": answers[0],
            "greedy": greedy[i],
            "majority vote": majority_vote(answers),
            "most likely": best_of_n(answers, likely[i]),
            "checked": best_of_n(answers, rewards[i]),
        }
        for way, answer in chosen.items():
            right[way] += list(answer) == want
    return {way: count / prompts for way, count in right.items()}
