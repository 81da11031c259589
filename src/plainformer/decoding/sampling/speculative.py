"""Speculative decoding: a small model guesses ahead, a large one checks, and no one can tell.

What comes out is distributed as if the large model had drawn every token itself. The gain: a
transformer answers for all places of a text in one call, so it checks several guesses in the time
it takes to write one token. Where a guess is refused, both models' caches go back to it.

But: a function that answers for the end of a text alone is asked once for each guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plainformer.arrays import Array, as_numpy, check_size
from plainformer.attention import softmax
from plainformer.decoding.checks import (
    check_alike,
    check_eos_token_id,
    check_judgement,
    check_rng,
    checked,
)
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.sampling.draw import Uniform, draw_numbers
from plainformer.decoding.stepping import Texts

__all__ = ["Speculation", "accept_or_redraw", "speculative_sample"]


@dataclass(frozen=True)
class Speculation:
    """What a speculative sampling wrote, and how well the guesses did.

    Attributes:
        ids: the prompt and what follows.
        rounds: how often the large model was asked: once for all
            guesses of a round. (One call more reads the prompt.)
        drafted: how many tokens were guessed.
        checked: how many of these were checked: after the first
            that is refused, the rest of a round is thrown away.
        accepted: how many of these were accepted.
    """

    ids: list[int]
    rounds: int
    drafted: int
    checked: int
    accepted: int

    @property
    def acceptance_rate(self) -> float:
        """Accepted guesses among those checked; NaN if there were none."""
        return self.accepted / self.checked if self.checked else float("nan")


@checked(check_judgement)
def accept_or_redraw(
    p: Array,
    q: Array,
    guess: Array,
    u: Array,
    v: Array,
) -> tuple[Array, Array]:
    """Judge tokens drawn from q, so that what comes out is p's.

    Accept a guess x if u < p(x) / q(x). Otherwise draw another
    token, from max(0, p - q) divided by its sum.

    Args:
        p: (..., V) probabilities of the large model.
        q: (..., V) probabilities of the small one.
        guess: (...,) tokens drawn from q.
        u: (...,) numbers in [0, 1), for the judgement.
        v: (...,) numbers in [0, 1), for the other token.

    Returns:
        (...,) tokens, and (...,) whether each is the guess.

    Raises:
        TypeError, ValueError: `p` or `q` are no probabilities, or
            not alike in shape; no tokens of theirs; or numbers
            outside [0, 1).

    Source: Leviathan et al. 2023, algorithm 1 and appendix A.1.

    >>> p, q = np.array([0.2, 0.8]), np.array([0.6, 0.4])
    >>> for u in (0.3, 0.4):  # p(0) / q(0) is one third
    ...     token, kept = accept_or_redraw(p, q, np.array(0), u, 0.5)
    ...     print(int(token), bool(kept))
    0 True
    1 False
    """
    place = guess[..., None]
    p_x = np.take_along_axis(p, place, axis=-1)[..., 0]
    q_x = np.take_along_axis(q, place, axis=-1)[..., 0]
    accepted = u * q_x < p_x
    missing = np.maximum(p - q, 0)  # where q has too little
    some = np.any(missing > 0, axis=-1, keepdims=True)
    # nothing missing: p = q up to rounding, and p will do
    other = _draw(np.where(some, missing, p), v)
    return np.where(accepted, guess, other), accepted


def speculative_sample(
    target: CausalModel | LogitsFn,
    draft: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    draft_length: int,
    rng: Uniform,
    eos_token_id: int | None = None,
) -> Speculation:
    """Continue one prompt as `target` would, with guesses of `draft`.

    Each round `draft` writes up to draft_length tokens. `target`
    checks them from the left, up to the first that it refuses and
    replaces. If it accepts all, it adds one of its own.

    Args:
        target: the large model: any `CausalModel`, or any function
            of (B, T) ids that returns (B, V) logits.
        draft: the small one, of the same vocabulary; the same.
        prompt: (T,) ids.
        max_new_tokens: stop after so many, 1 or more.
        draft_length: γ, how many tokens to guess a round.
        rng: where chance comes from. The same seed gives the same
            tokens, but not those that `sample` gives.
        eos_token_id: the id of the end of text, which ends it; or None.

    Returns:
        The text and the statistics, see `Speculation`.

    Raises:
        TypeError, ValueError: an argument is out of range, a model
            does not answer as it must, or the two have
            vocabularies of different sizes.

    Source: Leviathan et al. 2023, algorithm 1; Chen et al. 2023,
    algorithm 2.

    >>> def target(ids):
    ...     return np.tile(np.log([0.2, 0.8]), (len(ids), 1))
    >>> def draft(ids):
    ...     return np.zeros((len(ids), 2))
    >>> rng = np.random.default_rng(0)
    >>> done = speculative_sample(target, draft, [0], rng=rng,
    ...                           max_new_tokens=999, draft_length=3)
    >>> round(done.ids.count(1) / 999, 1), done.rounds < 999
    (0.8, True)
    """
    prompts, single = check_prompts(prompt)
    if not single:
        raise ValueError(f"prompt must be a single one, (T,) ids; got {len(prompts)} of them")
    check_size(max_new_tokens, "max_new_tokens")
    check_size(draft_length, "draft_length")
    eos_token_id = check_eos_token_id(eos_token_id)
    check_rng(rng)
    models = Texts(target, prompts, eos_token_id), Texts(draft, prompts, eos_token_id)
    check_alike(*(model.next_logits() for model in models))
    new: list[int] = []
    rounds, drafted, checked_, accepted = 0, 0, 0, 0
    while len(new) < max_new_tokens and eos_token_id not in new[-1:]:
        count = min(draft_length, max_new_tokens - len(new) - 1)  # one token comes from the target
        tokens, judged, passed = _round(*models, count, rng, eos_token_id)
        new += tokens
        rounds, drafted = rounds + 1, drafted + count
        checked_, accepted = checked_ + judged, accepted + passed
    return Speculation([*prompts[0], *new], rounds, drafted, checked_, accepted)


def _round(
    target: Texts, draft: Texts, count: int, rng: Uniform, eos_token_id: int | None
) -> tuple[list[int], int, int]:
    """Guess `count` tokens and have them checked: what is new, how many were judged, and passed."""
    start = target.length
    guesses, q = np.zeros(count, dtype=np.int64), []
    for i in range(count):
        q.append(_probabilities(draft.next_logits())[0])  # (V,)
        guesses[i] = _draw(q[i], draw_numbers(rng, 1)[0])
        draft.append(guesses[i : i + 1])
    target.append(guesses)
    tokens: list[int] = []
    judged = passed = 0
    for i, logits in enumerate(target.each_of_last(count + 1)):  # of all places in one call
        p = _probabilities(logits)[0]  # (V,)
        if i == count:  # all guesses have passed, and the target has looked one place further
            token, kept = _draw(p, draw_numbers(rng, 1)[0]), False
        else:
            token, kept = accept_or_redraw.formula(p, q[i], guesses[i], *draw_numbers(rng, 2))
            judged, passed = judged + 1, passed + int(kept)
        tokens.append(int(token))
        if not kept or token == eos_token_id:
            break
    for texts in (target, draft):  # back to the last guess that passed, and on by the new token
        texts.rewind(start + len(tokens) - 1)
        texts.append(np.array(tokens[-1:]))
    return tokens, judged, passed


def _probabilities(logits: Array) -> Array:
    """(..., V) probabilities, as NumPy's float64, which both models share."""
    return softmax(as_numpy(logits).astype(np.float64))


def _draw(weights: Array, u: Array) -> Array:
    """Tokens by inversion, from (..., V) weights that need not sum to 1."""
    ends = weights.cumsum(axis=-1)
    if ends.ndim == 1:  # one row needs no comparison of all
        token = ends.searchsorted(u * ends[-1], side="right")
    else:
        token = np.sum(ends <= u[..., None] * ends[..., -1:], axis=-1)
    return np.minimum(token, ends.argmax(axis=-1))
