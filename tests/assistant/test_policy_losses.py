"""GRPO and DPO: against the papers' formulas by hand, and the properties that they promise.

TRL 1.16.0 was compared as well, once and by hand: `_compute_loss` of its GRPOTrainer (loss_type
"grpo") and the sigmoid loss of its DPOTrainer, on the inputs of these tests.
"""

import math

import array_api_strict as strict
import numpy as np
import pytest
import torch
from torch.nn import functional as F

from plainformer.assistant import dpo_loss, group_advantages, grpo_loss, kl_estimate

B, T = 8, 5


def draw(seed: int = 0) -> dict[str, torch.Tensor]:
    """Random inputs with ratios far enough from 1 to be clipped, and answers of all lengths."""
    rng = torch.Generator().manual_seed(seed)
    old = -3 * torch.rand(B, T, generator=rng, dtype=torch.float64)
    move, ref = (torch.randn(B, T, generator=rng, dtype=torch.float64) for _ in range(2))
    lengths = torch.randint(1, T + 1, (B, 1), generator=rng)
    rewards = torch.rand(2, B // 2, generator=rng, dtype=torch.float64)
    return {
        "log_p": old + 0.3 * move,
        "old_log_p": old,
        "advantages": group_advantages(rewards).flatten(),
        "mask": torch.arange(T) < lengths,
        "ref_log_p": old + 0.2 * ref,
    }


def by_hand(given: dict[str, torch.Tensor], clip: float, beta: float) -> float:
    """Equation 3 of Shao et al. 2024, one token at a time, in plain Python."""
    total = 0.0
    for i in range(B):
        length = int(given["mask"][i].sum())
        a, answer = float(given["advantages"][i]), 0.0
        for t in range(length):
            now, old, ref = (float(given[k][i, t]) for k in ("log_p", "old_log_p", "ref_log_p"))
            ratio = math.exp(now) / math.exp(old)
            clipped = min(max(ratio, 1 - clip), 1 + clip)
            kl = math.exp(ref) / math.exp(now) - (ref - now) - 1
            answer += min(ratio * a, clipped * a) - beta * kl
        total += answer / length
    return -total / B


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("clip", "beta"), [(0.2, 0.0), (0.2, 0.04), (0.1, 1.0)])
def test_grpo_is_the_formula_of_the_paper(seed: int, clip: float, beta: float) -> None:
    given = draw(seed)
    got = float(grpo_loss(**given, clip=clip, beta=beta))
    assert got == pytest.approx(by_hand(given, clip, beta), abs=1e-12)
    arrays = {name: strict.asarray(value.numpy()) for name, value in given.items()}
    assert float(grpo_loss(**arrays, clip=clip, beta=beta)) == pytest.approx(got, abs=1e-12)


def test_at_ratio_one_the_gradient_is_that_of_the_policy_gradient() -> None:
    given = draw()
    log_p = given["old_log_p"].clone().requires_grad_()
    loss = grpo_loss(log_p, given["old_log_p"], given["advantages"], given["mask"])
    loss.backward()
    counts = given["mask"].double()
    want = -given["advantages"][:, None] * counts / counts.sum(1, keepdim=True) / B
    torch.testing.assert_close(log_p.grad, want)
    assert loss.item() == pytest.approx(-float(given["advantages"].mean()))


def test_a_clipped_token_has_no_gradient() -> None:
    old = torch.zeros(2, 2, dtype=torch.float64)
    log_p = torch.tensor([[0.5, -0.5], [0.5, -0.5]], dtype=torch.float64, requires_grad=True)
    mask = torch.ones(2, 2, dtype=torch.bool)
    grpo_loss(log_p, old, torch.tensor([1.0, -1.0]).double(), mask).backward()
    assert log_p.grad is not None
    moved = (log_p.grad != 0).tolist()  # good and already likelier: stop; bad and likelier: go on
    assert moved == [[False, True], [True, False]]


def test_what_the_mask_leaves_out_does_not_matter() -> None:
    given = draw()
    other = {**given, "log_p": torch.where(given["mask"], given["log_p"], -50.0)}
    torch.testing.assert_close(grpo_loss(**given, beta=0.1), grpo_loss(**other, beta=0.1))


def test_the_estimate_of_the_kl_term_is_positive_and_unbiased() -> None:
    p, ref = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.5, 0.3])
    each = kl_estimate(np.log(p), np.log(ref))
    assert (each > 0).all() and not kl_estimate(np.log(p), np.log(p)).any()
    assert p @ each == pytest.approx(float(p @ np.log(p / ref)), abs=1e-12)


@pytest.mark.parametrize("beta", [0.1, 2.0])
def test_dpo_is_the_formula_of_the_paper(beta: float) -> None:
    rng = torch.Generator().manual_seed(0)
    four = [-20 * torch.rand(B, generator=rng, dtype=torch.float64) for _ in range(4)]
    chosen, rejected, ref_chosen, ref_rejected = four
    logit = beta * (chosen - ref_chosen) - beta * (rejected - ref_rejected)
    want = F.binary_cross_entropy_with_logits(logit, torch.ones(B, dtype=torch.float64))
    torch.testing.assert_close(dpo_loss(*four, beta=beta), want)
    arrays = [strict.asarray(each.numpy()) for each in four]
    assert float(dpo_loss(*arrays, beta=beta)) == pytest.approx(float(want), abs=1e-12)


def test_dpo_starts_at_ln_2_and_never_overflows() -> None:
    ref = np.array([-3.0, -900.0]), np.array([-5.0, -2.0])
    assert dpo_loss(*ref, *ref) == pytest.approx(math.log(2))
    same = np.array([0.0])
    assert dpo_loss(np.array([-5000.0]), same, same, same, beta=1.0) == pytest.approx(5000)
    assert dpo_loss(same, np.array([-5000.0]), same, same, beta=1.0) == 0


def test_dpo_sees_the_difference_only() -> None:
    rng = np.random.default_rng(0)
    chosen, rejected, ref_chosen, ref_rejected = rng.normal(size=(4, B))
    want = dpo_loss(chosen, rejected, ref_chosen, ref_rejected)
    got = dpo_loss(chosen - 9, rejected - 9, ref_chosen, ref_rejected)
    assert got == pytest.approx(float(want))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clip": 0.0}, "clip must be above 0 and below 1"),
        ({"beta": -1.0}, "beta must be at least 0"),
        ({"beta": 0.1, "ref_log_p": None}, "beta needs ref_log_p unless it is 0"),
        ({"mask": torch.zeros(B, T, dtype=torch.bool)}, "a token of every answer"),
        ({"advantages": torch.zeros(3, dtype=torch.float64)}, "advantages"),
        ({"old_log_p": torch.zeros(B, T + 1, dtype=torch.float64)}, "old_log_p"),
    ],
)
def test_mistakes_with_grpo_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grpo_loss(**{**draw(), **change})  # type: ignore[arg-type]


def test_mistakes_with_dpo_are_named() -> None:
    two, none = np.zeros(2), np.zeros(0)
    with pytest.raises(ValueError, match="rejected"):
        dpo_loss(two, np.zeros(3), two, two)
    with pytest.raises(ValueError, match="chosen must hold at least one answer"):
        dpo_loss(none, none, none, none)
    with pytest.raises(ValueError, match="beta must be above 0"):
        dpo_loss(two, two, two, two, beta=0.0)
