"""Speculative sampling: the tokens are the target's, a wrong rule is caught, the rate is 1 - TV."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import accept_or_resample, draw_token, speculative_sample
from plainformer.decoding.sampling.speculative import SpeculativeResult

V = 4
P, Q = (
    np.random.default_rng(6).dirichlet(np.ones(V), size=(2, V, V)) * 0.8 + 0.2 / V
)  # rows: the tokens before
LIMIT = 84.0  # chi-squared of V * V * (V - 1) = 48 degrees is beyond it once in a thousand


def target(ids):
    """The last two tokens decide."""
    return np.log(P[ids[:, -2], ids[:, -1]])


def draft(ids):
    """The last token decides."""
    return np.log(Q[0, ids[:, -1]])


def windows(ids):
    """Every three tokens in a row, as three arrays."""
    ids = np.asarray(ids)
    return ids[:-2], ids[1:-1], ids[2:]


def surprise(ids):
    """Chi-squared of the tokens after each pair, against the target; V * V * (V - 1) degrees."""
    counts = np.zeros((V, V, V))
    np.add.at(counts, windows(ids), 1)
    expected = counts.sum(axis=-1, keepdims=True) * P
    often = expected > 5  # a wrong rule may never come to some pairs
    return ((counts - expected) ** 2 / np.where(often, expected, np.inf)).sum()


def write(count, draft=draft, length=4, seed=0):
    rng = np.random.default_rng(seed)
    return speculative_sample(
        target, draft, [0, 0], max_new_tokens=count, draft_length=length, rng=rng
    )


# The distribution


def test_the_tokens_are_distributed_as_the_targets():
    done = write(4000, length=2)
    assert np.bincount(np.ravel_multi_index(np.array(windows(done.ids)), (V, V, V))).min() > 5
    assert surprise(done.ids) < LIMIT
    assert done.checked > 2000 and done.accepted < 0.9 * done.checked  # many were refused


RULE = accept_or_resample.unchecked  # the right one, whatever stands in its place


def from_p(p, q, guess, u, v):
    """After a refusal, wrongly: a draw from p instead of from max(0, p - q)."""
    _, accepted = RULE(p, q, guess, u, v)
    return np.where(accepted, guess, draw_token(np.log(p), v)), accepted


def always(p, q, guess, u, v):
    return guess, np.ones(np.shape(guess), dtype=bool)


def best_only(p, q, guess, u, v):
    """Accepts what the target finds at least as probable as the draft, without a draw."""
    return accept_or_resample(p, q, guess, np.full(np.shape(u), 1 - 1e-16), v)


def upside_down(p, q, guess, u, v):
    """After a refusal, from max(0, q - p)."""
    _, accepted = accept_or_resample(p, q, guess, u, v)
    missing = np.maximum(q - p, 0)
    with np.errstate(divide="ignore"):
        return np.where(accepted, guess, draw_token(np.log(missing), v)), accepted


WRONG = [from_p, always, best_only, upside_down]


def test_the_same_test_catches_a_wrong_rule(monkeypatch):
    monkeypatch.setattr(accept_or_resample, "unchecked", from_p)
    assert surprise(write(4000, length=2).ids) > 2 * LIMIT


def one_step(rule, count=400_000):
    """Chi-squared, 3 degrees, of many judgements at one place; and the rate of acceptance."""
    rng, (p, q) = np.random.default_rng(7), (P[1, 2], Q[0, 2])
    guess = draw_token(np.tile(np.log(q), (count, 1)), rng.random(count))
    shape = (count, V)
    u, v = rng.random((2, count))
    tokens, accepted = rule(np.broadcast_to(p, shape), np.broadcast_to(q, shape), guess, u, v)
    counts = np.bincount(tokens, minlength=V)
    return ((counts - count * p) ** 2 / (count * p)).sum(), accepted.mean()


def test_one_judgement_many_times():
    """It accepts as often as the two distributions overlap: 1 - their total variation distance."""
    surprised, rate = one_step(accept_or_resample)
    assert surprised < 16.27  # once in a thousand
    p, q = P[1, 2], Q[0, 2]
    overlap = 1 - abs(p - q).sum() / 2
    assert overlap < 0.9
    assert abs(rate - overlap) < 4 * (overlap * (1 - overlap) / 400_000) ** 0.5


@pytest.mark.parametrize("rule", WRONG)
def test_one_judgement_by_a_wrong_rule(rule):
    assert one_step(rule)[0] > 1000


# Its parts


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p": [0.5, 0.6]}, "p must add up to 1 in every row"),
        ({"guess": 2}, "guess must be from 0 to 1; got 2"),
        ({"u": 1.0}, "u must be random numbers of at least 0 and below 1"),
    ],
)
def test_what_a_judgement_refuses(changes, message):
    given_ = {"p": [0.5, 0.5], "q": [0.2, 0.8], "guess": 1, "u": 0.5, "v": 0.5}
    accept_or_resample(**given_)
    with pytest.raises(ValueError, match=message):
        accept_or_resample(**given_ | changes)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_a_token_that_is_impossible_never_comes(seed, width):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(width), size=(2, 20))
    p[:, 1:][rng.random((20, width - 1)) < 0.5] = 0
    p /= p.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        guess = draw_token(np.log(q), rng.random(20))
    tokens, accepted = accept_or_resample(p, q, guess, rng.random(20), rng.random(20))
    assert (p[np.arange(20), tokens] > 0).all()
    assert (tokens[accepted] == guess[accepted]).all()


def test_alike_but_for_rounding():
    """Nothing is missing, yet u is so near to 1 that the guess is refused."""
    p, q = np.array([0.5, 0.5 - 1e-16, 0]), np.array([0.5, 0.5, 0])
    u = np.nextafter(1.0, 0)
    token, accepted = accept_or_resample(p, q, np.array(1), u, np.array(0.9))
    assert not accepted and token == 1


def test_a_draft_that_is_the_target_is_never_refused():
    done = write(1000, draft=target, length=4)
    assert done.acceptance_rate == 1
    assert done.rounds == 200  # five tokens each: four guesses and one more
    assert done.drafted == done.checked == done.accepted == 800


def test_a_draft_that_guesses_the_impossible_is_never_accepted():
    def sure(token):
        return lambda ids: np.tile(np.where(np.arange(3) == token, 0.0, -np.inf), (len(ids), 1))

    done = speculative_sample(
        sure(2), sure(1), [0], max_new_tokens=10, draft_length=3, rng=np.random.default_rng(0)
    )
    assert done.ids == [0] + [2] * 10
    assert (done.accepted, done.acceptance_rate) == (0, 0)
    assert done.rounds == done.checked + 1 == 10  # the last has one token to write, no guess
    assert done.drafted == 7 * 3 + 2 + 1 + 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 7))
def test_the_statistics_add_up(seed, count, length):
    done = write(count, length=length, seed=seed)
    assert len(done.ids) == 2 + count and done.ids[:2] == [0, 0]
    assert done.accepted <= done.checked <= done.drafted <= done.rounds * length
    assert done.accepted + done.rounds == count  # each round ends with a token of the target's
    assert done == write(count, length=length, seed=seed)


def test_no_guess_no_rate():
    assert np.isnan(SpeculativeResult([0], 0, 0, 0, 0).acceptance_rate)
    assert write(1).checked == 0


@given(st.integers(0, 2**32 - 1))
def test_the_end_of_text_ends_it(seed):
    done = speculative_sample(
        target, draft, [3, 1], max_new_tokens=40, draft_length=3, eos_token_id=3,
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    new = done.ids[2:]
    assert 3 not in new[:-1] and (new[-1] == 3 or len(new) == 40)


def test_models_in_torch():
    def in_torch(model):
        return lambda ids: torch.from_numpy(model(ids))

    ours = speculative_sample(in_torch(target), in_torch(draft), [0, 0], max_new_tokens=50,
                              draft_length=3, rng=np.random.default_rng(0))  # fmt: skip
    assert ours == write(50, length=3)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"prompt": [[0, 0], [1, 1]]}, ValueError, "prompt must be a single one, .*; got 2"),
        ({"rng": None}, TypeError, "rng must have a method random"),
        (
            {"eos_token_id": 4},
            ValueError,
            "eos_token_id must be below the vocabulary's size, 4; got 4",
        ),
        (
            {"draft": lambda ids: np.zeros((1, 3))},
            ValueError,
            "target and draft must have the same vocabulary; got 4 and 3 tokens",
        ),
    ],
)
def test_what_is_refused(changes, error, message):
    given_ = {"draft": draft, "prompt": [0, 0], "max_new_tokens": 9, "draft_length": 2,
              "rng": np.random.default_rng(0)} | changes  # fmt: skip
    with pytest.raises(error, match=message):
        speculative_sample(target, given_.pop("draft"), given_.pop("prompt"), **given_)
