"""Speculative decoding: a small model guesses several tokens ahead, and a large one checks them.

It is faster because a transformer computes the logits after every token of a text in one call, so
that checking several guesses takes about as long as generating one token. Where a guess is
rejected, both models' caches are rewound to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_numpy
from plainformer.attention import softmax
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.sampling.draw import RNG, check_rng, check_uniform, draw_token
from plainformer.decoding.state import DecodingState
from plainformer.decoding.temperature import check_probabilities
from plainformer.inputs.checks import as_ids
from plainformer.shapes import Count, Float, Int, Size, checked

__all__ = ["SpeculativeResult", "accept_or_resample", "speculative_sample"]


@dataclass(frozen=True)
class SpeculativeResult:
    """What speculative sampling generated, and how good the guesses were.

    Attributes:
        ids: the prompt and what follows it.
        rounds: how often the large model was called, once for all guesses of a round. (One more
            call reads the prompt.)
        drafted: how many tokens were guessed.
        checked: how many guesses were checked. After a rejection, or after the token that ends the
            text, the rest of a round is dropped unchecked.
        accepted: how many of those that were checked were accepted.
    """

    ids: list[int]
    rounds: int
    drafted: int
    checked: int
    accepted: int

    @property
    def acceptance_rate(self) -> float:
        """Accepted guesses divided by checked ones; NaN if there were none."""
        return self.accepted / self.checked if self.checked else float("nan")


@checked
def accept_or_resample(
    p: Float[Array, "... V"],
    q: Float[Array, "... V"],
    guess: Int[Array, "..."],
    u: Array,
    v: Array,
) -> tuple[Int[Array, "..."], Array]:
    """Accept tokens drawn from q, or replace them, so that the result is distributed as p.

    A guess x is accepted if u < p(x) / q(x). Otherwise another token is drawn from max(0, p - q)
    divided by its sum. `u` and `v` are random numbers in [0, 1), for the decision and for the
    replacement. Returns the tokens, and whether each guess was accepted.

    Source: Leviathan et al. 2023, algorithm 1 and appendix A.1.

    >>> p, q = np.array([0.2, 0.8]), np.array([0.6, 0.4])
    >>> for u in (0.3, 0.4):  # p(0) / q(0) is one third
    ...     token, accepted = accept_or_resample(p, q, np.array(0), u, 0.5)
    ...     print(int(token), bool(accepted))
    0 True
    1 False
    """
    p, q = check_probabilities(p, "p"), check_probabilities(q, "q")
    guess = as_ids(guess, p.shape[-1], name="guess")
    u, v = check_uniform(u, "u", like=p), check_uniform(v, "v", like=p)
    xp = array_api_compat.array_namespace(p)
    p_x = xp.take_along_axis(p, guess[..., None], axis=-1)[..., 0]
    q_x = xp.take_along_axis(q, guess[..., None], axis=-1)[..., 0]
    accepted = u * q_x < p_x
    missing = xp.clip(p - q, min=0)  # where q is too small, and by how much
    any_missing = xp.any(missing > 0, axis=-1, keepdims=True)
    # If nothing is missing, p equals q up to rounding, and we draw from p.
    with np.errstate(divide="ignore"):
        log_weights = xp.log(xp.where(any_missing, missing, p))
    drawn = draw_token.unchecked(log_weights, v)
    return xp.where(accepted, guess, drawn), accepted


@checked
def speculative_sample(
    target: CausalModel | LogitsFn,
    draft: CausalModel | LogitsFn,
    prompt: Any,
    *,
    max_new_tokens: Size,
    draft_length: Size,
    rng: RNG,
    eos_token_id: Count | None = None,
) -> SpeculativeResult:
    """Continue one prompt as `target` would, with the help of guesses by `draft`.

    In each round, `draft` generates up to `draft_length` tokens. `target` checks them from left to
    right, up to the first that it rejects and replaces. If it accepts all of them, it adds one of
    its own. The result is distributed exactly as if the large model had drawn every token itself,
    although the same seed does not give the tokens that `sample` gives. The two models must have
    the same vocabulary; the other arguments are those of `sample`.

    Source: Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2.

    >>> def target(ids):
    ...     return np.tile(np.log([0.2, 0.8]), (len(ids), 1))
    >>> def draft(ids):
    ...     return np.zeros((len(ids), 2))
    >>> result = speculative_sample(target, draft, [0], max_new_tokens=999, draft_length=3,
    ...                             rng=np.random.default_rng(0))
    >>> round(result.ids.count(1) / 999, 1), result.rounds < 999
    (0.8, True)
    """
    prompts, single = check_prompts(prompt)
    if not single:
        raise ValueError(f"prompt must be a single one, (T,) ids; got {len(prompts)} of them")
    check_rng(rng)
    states = (
        DecodingState(target, prompts, eos_token_id),
        DecodingState(draft, prompts, eos_token_id),
    )
    sizes = [state.logits()[:, -1, :].shape[-1] for state in states]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"target and draft must have the same vocabulary; got {sizes[0]} and {sizes[1]} tokens"
        )
    new: list[int] = []
    rounds = drafted = n_checked = accepted = 0
    while len(new) < max_new_tokens and eos_token_id not in new[-1:]:
        count = min(draft_length, max_new_tokens - len(new) - 1)  # the target adds a token
        tokens, round_checked, round_accepted = _round(*states, count, rng, eos_token_id)
        new += tokens
        rounds, drafted = rounds + 1, drafted + count
        n_checked, accepted = n_checked + round_checked, accepted + round_accepted
    return SpeculativeResult([*prompts[0], *new], rounds, drafted, n_checked, accepted)


def _round(
    target: DecodingState, draft: DecodingState, count: int, rng: RNG, eos_token_id: int | None
) -> tuple[list[int], int, int]:
    """Guess `count` tokens and check them: the new tokens, the number checked, and accepted."""
    start = target.length
    guesses, q = [], []
    for _ in range(count):
        logits = _as_float64(draft.logits()[:, -1, :])  # (1, V)
        q.append(softmax.unchecked(logits))
        guesses.append(draw_token.unchecked(logits, rng.random(1)))  # (1,)
        draft.append(guesses[-1])
    if guesses:
        target.append(np.stack(guesses, axis=1))
    tokens: list[int] = []
    n_checked = n_accepted = 0
    for i, logits in enumerate(target.logits_after_last(count + 1)):
        logits = _as_float64(logits)
        if i == count:  # all guesses were accepted, and there are logits for one more token
            token, accepted = draw_token.unchecked(logits, rng.random(1)), False
        else:
            p, (u, v) = softmax.unchecked(logits), rng.random(2)
            token, accepted = accept_or_resample.unchecked(p, q[i], guesses[i], u, v)
            n_checked, n_accepted = n_checked + 1, n_accepted + int(accepted[0])
        tokens.append(int(token[0]))
        if not accepted or tokens[-1] == eos_token_id:
            break
    for state in (target, draft):  # back to the last accepted guess, and then add the new token
        state.rewind(start + len(tokens) - 1)
        state.append(np.array(tokens[-1:]))
    return tokens, n_checked, n_accepted


def _as_float64(logits: Array) -> Array:
    """Logits in NumPy's float64, which both models then share."""
    return as_numpy(logits).astype(np.float64)
