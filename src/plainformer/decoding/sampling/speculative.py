"""Speculative decoding: a small model guesses ahead, a large one checks, and no one can tell.

What comes out is distributed as if the large model had drawn every token itself. The gain: a
transformer checks several guesses in the time it takes to write one token.

But: here the large model is asked once for each guess that it checks. A `LogitsFn` answers for the
end of a text only; a transformer answers for all places in one call. `rounds` counts those calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plainformer.arrays import Array, as_numpy, check_size
from plainformer.decoding.logits import LogitsFn, check_eos, check_prompts, next_logits
from plainformer.decoding.sampling.draw import Uniform, check_rng

__all__ = ["Speculation", "accept_or_redraw", "speculative_sample"]


@dataclass(frozen=True)
class Speculation:
    """What a speculative sampling wrote, and how well the guesses did.

    Attributes:
        ids: the prompt and what follows.
        rounds: how often the large model was called, if one call
            checks all guesses of a round.
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
    target: LogitsFn,
    draft: LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: int,
    draft_length: int,
    rng: Uniform,
    eos_id: int | None = None,
) -> Speculation:
    """Continue one prompt as `target` would, with guesses of `draft`.

    Each round `draft` writes up to draft_length tokens. `target`
    checks them from the left, up to the first that it refuses and
    replaces. If it accepts all, it adds one of its own.

    Args:
        target: the large model, (B, T) ids to (B, V) logits.
        draft: the small one, of the same vocabulary.
        prompt: (T,) ids.
        max_new_tokens: stop after so many.
        draft_length: γ, how many tokens to guess a round.
        rng: where chance comes from. The same seed gives the same
            tokens, but not those that `sample` gives.
        eos_id: the id of the end of text, which ends it; or None.

    Returns:
        The text and the statistics, see `Speculation`.

    Raises:
        TypeError, ValueError: an argument is out of range, a model
            does not answer as a `LogitsFn` must, or the two have
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
    check_size(max_new_tokens, "max_new_tokens", least=0)
    check_size(draft_length, "draft_length")
    if eos_id is not None:
        eos_id = check_size(eos_id, "eos_id", least=0)
    check_rng(rng)
    start = len(prompts[0])
    longest = start + max_new_tokens
    ids = np.zeros((1, longest), dtype=np.int64)
    ids[0, :start] = prompts[0]
    n, rounds, drafted, checked, kept = start, 0, 0, 0, 0
    while n < longest and (n == start or ids[0, n - 1] != eos_id):
        guesses = min(draft_length, longest - n - 1)  # one token comes from the target
        q = []
        for i in range(guesses):
            q.append(_probabilities(draft, ids[:, : n + i], eos_id))
            ids[0, n + i] = _draw(q[i], rng.random(1)[0])
        rounds, drafted = rounds + 1, drafted + guesses
        for i in range(guesses + 1):
            p = _probabilities(target, ids[:, :n], eos_id)
            if i == guesses:
                ids[0, n], accepted = _draw(p, rng.random(1)[0]), False
            else:
                _check_alike(p, q[i])
                u, v = rng.random(2)
                ids[0, n], accepted = accept_or_redraw(p, q[i], ids[0, n], u, v)
                checked, kept = checked + 1, kept + int(accepted)
            n += 1
            if not accepted or ids[0, n - 1] == eos_id:
                break
    return Speculation(ids[0, :n].tolist(), rounds, drafted, checked, kept)


def _probabilities(model: LogitsFn, ids: Array, eos_id: int | None) -> Array:
    """(V,) probabilities of the next token of one text, (1, T), as NumPy's."""
    logits = next_logits(model, ids)
    check_eos(eos_id, logits)
    row = as_numpy(logits)[0].astype(np.float64)
    shares = np.exp(row - row.max())
    return shares / shares.sum()


def _draw(weights: Array, u: Array) -> Array:
    """Tokens by inversion, from (..., V) weights that need not sum to 1."""
    ends = weights.cumsum(axis=-1)
    if ends.ndim == 1:  # one row needs no comparison of all
        token = ends.searchsorted(u * ends[-1], side="right")
    else:
        token = np.sum(ends <= u[..., None] * ends[..., -1:], axis=-1)
    return np.minimum(token, ends.argmax(axis=-1))


def _check_alike(p: Array, q: Array) -> None:
    if p.shape != q.shape:
        raise ValueError(
            f"target and draft must have one vocabulary; got {p.shape[0]} and {q.shape[0]} tokens"
        )
