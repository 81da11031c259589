"""What decoding refuses, and in which words: each public function's arguments, looked at once.

`@checked(check_top_k)` over a formula says that a caller's arguments go through `check_top_k`
first. Whoever has checked already calls the formula itself, as `top_k.formula`: the loop that
writes a text looks at the model's logits once a step, not once a formula.

In order: logits, what a model answers, numbers between 0 and 1, penalties and temperature; what is
written in ids has a file of its own, `ids.py`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

import array_api_compat
import numpy as np

from plainformer.arrays import (
    Array,
    as_array,
    as_floats,
    asarray_like,
    broadcasts,
    check_number,
    check_size,
    is_integer,
)
from plainformer.decoding.ids import check_ids, check_unmasked, first_place

__all__ = ["Checked", "check_logits", "checked"]

P = ParamSpec("P")
R = TypeVar("R")


class Checked(Generic[P, R]):
    """A function of the caller's arguments, and the formula behind it, of checked ones."""

    __module__: str  # the formula's, as all that a function has

    def __init__(self, check: Callable[..., tuple[Any, ...]], formula: Callable[P, R]) -> None:
        self._check, self.formula = check, formula
        update_wrapper(self, formula)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        formula: Callable[..., R] = self.formula
        return formula(*self._check(*args, **kwargs))

    def __repr__(self) -> str:
        return repr(self.formula)

    def __reduce__(self) -> str:  # as a function, it is saved by its name
        return self.__qualname__  # type: ignore[attr-defined, no-any-return]


def checked(
    check: Callable[..., tuple[Any, ...]],
) -> Callable[[Callable[P, R]], Checked[P, R]]:
    """Let a check see a formula's arguments first. It returns them, as the formula needs them."""
    return lambda formula: Checked(check, formula)


# Logits


def check_logits(logits: Any, name: str = "logits") -> Array:
    """Return logits as an array of floats, or say what is wrong with them.

    Args:
        logits: (..., V) real numbers; -∞ for what is impossible.
        name: what the caller's argument is called.

    Returns:
        (..., V), of the same library; whole numbers become its default float.

    Raises:
        TypeError: no real numbers.
        ValueError: no axis, no token, NaN or +∞, or a row in which every token is impossible. The
            message names the first such place.

    >>> check_logits([[1.0, 2.0], [float("-inf"), float("-inf")]])
    Traceback (most recent call last):
    ValueError: logits[1, :] must leave a token possible; all 2 are -inf
    """
    check_unmasked(logits, name)
    (logits,) = as_floats(**{name: logits})
    if logits.ndim == 0 or logits.shape[-1] == 0:
        shape = tuple(logits.shape)
        raise ValueError(f"{name} must be (..., V) with V = 1 or more; got shape {shape}")
    xp = array_api_compat.array_namespace(logits)
    top = xp.max(logits, axis=-1)  # NaN and +∞ both come out on top
    if bool(xp.all(xp.isfinite(top))):
        return logits
    bad = xp.isnan(logits) | (logits == math.inf)
    if bool(xp.any(bad)):
        place = first_place(bad)
        where = ", ".join(map(str, place))
        raise ValueError(f"{name}[{where}] must be finite or -inf; got {float(logits[place])}")
    where = ", ".join([*map(str, first_place(top == -math.inf)), ":"])
    width = logits.shape[-1]
    raise ValueError(f"{name}[{where}] must leave a token possible; all {width} are -inf")


def check_logits_alone(logits: object) -> tuple[Array]:
    return (check_logits(logits),)


def check_top_k(logits: object, k: object) -> tuple[Array, int]:
    return check_logits(logits), check_size(k, "k")


def check_top_p(logits: object, p: object) -> tuple[Array, float]:
    return check_logits(logits), check_share(p)


def check_temperature_of(logits: object, temperature: object) -> tuple[Array, float]:
    logits = check_logits(logits)
    return logits, check_temperature(temperature, logits)


def check_draw(logits: object, u: object) -> tuple[Array, Array]:
    logits = check_logits(logits)
    return logits, check_uniform(u, "u", logits)


# What a model answers


def check_answer(logits: Any, shape: tuple[int, int], *, all_places: bool = False) -> Array:
    """A model's answer to (B, T) ids, as (B, n, V): a row for each of the last n tokens, or of all.

    >>> check_answer(np.zeros((2, 5)), (2, 3)).shape  # (B, V): for the end alone
    (2, 1, 5)
    """
    logits = as_array(logits, "what the model returns")
    B, T = shape
    least = T if all_places else 1
    rows = logits[:, None, :] if logits.ndim == 2 and not all_places else logits
    if rows.ndim == 3 and rows.shape[0] == B and least <= rows.shape[1] <= T:
        return rows
    also = f", with T = {T} and" if all_places else ", or (B, V) for the next token alone, with"
    raise ValueError(
        f"the model must return (B, T, V) logits{also} B = {B} here; "
        f"got shape {tuple(logits.shape)}"
    )


def check_eos(eos_token_id: int | None, logits: Array) -> None:
    """Say so if the end of text is no token of this model.

    >>> check_eos(8, np.zeros((1, 8)))
    Traceback (most recent call last):
    ValueError: eos_token_id must be below the vocabulary's size, 8; got 8
    """
    width = logits.shape[-1]
    if eos_token_id is not None and eos_token_id >= width:
        raise ValueError(
            f"eos_token_id must be below the vocabulary's size, {width}; got {eos_token_id}"
        )


def check_eos_token_id(eos_token_id: object) -> int | None:
    return None if eos_token_id is None else check_size(eos_token_id, "eos_token_id", least=0)


def check_alike(p: Array, q: Array) -> None:
    """The large model and the small one must know the same tokens."""
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"target and draft must have one vocabulary; got {p.shape[-1]} and {q.shape[-1]} tokens"
        )


# Numbers between 0 and 1


def check_share(p: object, name: str = "p") -> float:
    """The p of top-p and min-p."""
    if isinstance(p, float) and not math.isfinite(p):
        raise ValueError(f"{name} must be above 0, and 1 at most; got {p}")
    number = check_number(p, name)
    if not 0 < number <= 1:
        raise ValueError(f"{name} must be above 0, and 1 at most; got {p}")
    return number


def check_uniform(u: Any, name: str, like: Array) -> Array:
    """Numbers in [0, 1), float64: one for all, or one for each row of (..., V)."""
    check_unmasked(u, name)
    (u,) = as_floats(**{name: u})
    u = asarray_like(u, like=like)
    xp = array_api_compat.array_namespace(u)
    u = xp.astype(u, xp.float64, copy=False)
    if not bool(xp.all((u >= 0) & (u < 1))):
        raise ValueError(f"{name} must be 0 or more and below 1")
    if u.ndim and tuple(u.shape) != tuple(like.shape[:-1]):
        raise ValueError(
            f"{name} must be one number, or {tuple(like.shape[:-1])}, one a row; "
            f"got shape {tuple(u.shape)}"
        )
    return u


def check_probabilities(probabilities: object, name: str = "probabilities") -> tuple[Array]:
    """(..., V) numbers from 0 to 1, each row's sum 1."""
    check_unmasked(probabilities, name)
    (p,) = as_floats(**{name: probabilities})
    if p.ndim == 0 or p.shape[-1] == 0:
        shape = tuple(p.shape)
        raise ValueError(f"{name} must be (..., V) with V = 1 or more; got shape {shape}")
    xp = array_api_compat.array_namespace(p)
    slack = max(1e-3, float(xp.finfo(p.dtype).eps) ** 0.5)  # of what was rounded, or is float16
    wrong = ~((p >= 0) & (p <= 1 + slack))  # NaN is neither
    if bool(xp.any(wrong)):
        raise ValueError(f"{name} must be from 0 to 1; got {float(p[wrong][0])}")
    totals = xp.sum(p, axis=-1, keepdims=True)
    wrong = xp.abs(totals - 1) > slack
    if bool(xp.any(wrong)):
        total = float(totals[wrong][0])
        raise ValueError(f"{name} must add up to 1 in each row; one adds up to {total:.6g}")
    return (p,)


def check_judgement(p: Any, q: Any, guess: Any, u: object, v: object) -> tuple[Array, ...]:
    """Two models' probabilities, NumPy's; tokens of theirs; and chance."""
    ((p,), (q,)) = check_probabilities(p, "p"), check_probabilities(q, "q")
    if p.shape != q.shape:
        raise ValueError(f"q must be of the shape of p, {tuple(p.shape)}; got {tuple(q.shape)}")
    guess = check_ids(guess, p.shape[-1], "guess")
    if guess.shape != p.shape[:-1]:
        raise ValueError(
            f"guess must be {tuple(p.shape[:-1])}, one token a row; got shape {guess.shape}"
        )
    return p, q, guess, check_uniform(u, "u", p), check_uniform(v, "v", p)


def check_rng(rng: object) -> None:
    """Refuse what draws no numbers, or only one at a time."""
    random = getattr(rng, "random", None)
    if not callable(random):
        kind = type(rng).__name__
        raise TypeError(f"rng must have a method random, as numpy's generators do; got {kind}")
    try:
        inspect.signature(random).bind(1)
    except ValueError:  # it does not say what it takes
        return
    except TypeError:  # Python's own random.Random
        kind = f"{type(rng).__module__}.{type(rng).__name__}"
        raise TypeError(
            "rng must have a method random that takes how many to draw, as "
            f"numpy.random.default_rng(seed) has; got {kind}"
        ) from None


def check_rngs(rng: Any, count: int) -> list[Any]:
    """One for all prompts, or a list with one for each."""
    several = isinstance(rng, list | tuple)
    rngs = list(rng) if several else [rng]
    for each in rngs:
        check_rng(each)
    if several and len(rngs) != count:
        raise ValueError(f"rng must be one, or one for each of {count} prompts; got {len(rngs)}")
    return rngs


# Penalties and temperature


def check_temperature(temperature: object, logits: Array) -> float:
    """τ, which must be a number that the logits' dtype can hold."""
    tau = check_number(temperature, "temperature")
    if tau < 0:
        raise ValueError(f"temperature must be 0 or more; got {temperature}")
    limits = array_api_compat.array_namespace(logits).finfo(logits.dtype)
    least, most = float(limits.smallest_normal), float(limits.max)
    if tau != 0 and not least <= tau <= most:
        raise ValueError(
            f"temperature must be 0, or from {least:.2g} to {most:.2g} for logits of "
            f"{logits.dtype}; got {temperature}"
        )
    return tau


def check_penalty(logits: object, counts: object, penalty: object) -> tuple[Array, Array, float]:
    """Logits, counts that fit them, of their library and device, and a number."""
    penalty = check_number(penalty, "penalty")
    logits = check_logits(logits)
    return logits, check_counts(counts, logits), penalty


def check_ratio(logits: object, counts: object, penalty: object) -> tuple[Array, Array, float]:
    """As `check_penalty`; the penalty divides."""
    if check_number(penalty, "penalty") <= 0:
        raise ValueError(f"penalty must be above 0; got {penalty}")
    return check_penalty(logits, counts, penalty)


def check_counts(counts: Any, logits: Array) -> Array:
    check_unmasked(counts, "counts")
    counts = as_array(counts, "counts")
    if not is_integer(counts):
        raise TypeError(f"counts must be whole numbers; got an array of {counts.dtype}")
    n, z = tuple(counts.shape), tuple(logits.shape)
    if n[-1:] != z[-1:] or not broadcasts(n, to=z):
        raise ValueError(f"counts must be (..., V), as logits are: {z}; got shape {n}")
    counts = asarray_like(counts, like=logits)
    xp = array_api_compat.array_namespace(logits)
    if 0 not in n and (least := int(xp.min(counts))) < 0:
        raise ValueError(f"counts must be 0 or more; got {least}")
    return counts


def check_followers(shorter: Any, ids: Any, counts: Any) -> tuple[Array, Array, Array]:
    """(V,) probabilities, (kinds,) different tokens and (kinds,) how often each; NumPy's."""
    (shorter,) = check_probabilities(shorter, "shorter")
    if shorter.ndim != 1:
        raise ValueError(f"shorter must be (V,); got shape {tuple(shorter.shape)}")
    ids = check_ids(ids, len(shorter))
    if ids.ndim != 1 or len(np.unique(ids)) != len(ids):
        raise ValueError(f"ids must be (kinds,) different tokens; got {ids.tolist()}")
    counts = check_ids(counts, None, "counts")  # whole numbers, too
    if counts.shape != ids.shape or 0 in counts:
        raise ValueError(
            f"counts must be {tuple(ids.shape)} numbers of 1 or more, one for each of ids; "
            f"got {counts.tolist()}"
        )
    return shorter, ids, counts
