"""The losses that train a model on judgements instead of on texts: GRPO and DPO.

Both need only log-probabilities that the model gives to answers, so here they are formulas on
arrays. GRPO learns from the advantages of answers that the model has sampled itself, and DPO from
pairs of answers, one of which somebody preferred.
"""

from __future__ import annotations

import array_api_compat

from plainformer.arrays import Array
from plainformer.shapes import Bool, Float, checked

__all__ = ["dpo_loss", "grpo_loss", "kl_estimate"]


@checked
def kl_estimate(
    log_p: Float[Array, "..."],
    ref_log_p: Float[Array, "..."],
) -> Float[Array, "..."]:
    """An estimate of KL(p, ref) from tokens that p has sampled: r - ln r - 1, with r = ref / p.

    It is never negative, and its mean over the samples of p is the divergence, because the mean of
    r - 1 is 0. It varies less than the obvious estimate, -ln r.

    Source: Shao et al. 2024, equation 4; Schulman 2020, "Approximating KL Divergence", where it is
    called k3.

    >>> kl_estimate([0.0, -1.0], [0.0, 0.0]).round(4).tolist()
    [0.0, 0.7183]
    """
    xp = array_api_compat.array_namespace(log_p)
    log_ratio = ref_log_p - log_p
    return xp.exp(log_ratio) - log_ratio - 1


@checked
def grpo_loss(
    log_p: Float[Array, "B T"],
    old_log_p: Float[Array, "B T"],
    advantages: Float[Array, "B"],
    mask: Bool[Array, "B T"],
    *,
    ref_log_p: Float[Array, "B T"] | None = None,
    clip: float = 0.2,
    beta: float = 0.0,
) -> Float[Array, ""]:
    """The loss of GRPO for B answers of up to T tokens, of which `mask` says which count.

    `log_p` are the log-probabilities that the model gives to the tokens now, and `old_log_p` those
    that it gave when it sampled them. As long as the two are equal, the gradient is that of
    advantage · log p. The ratio is clipped, so that an answer stops being pushed once its tokens
    have moved by `clip` in the direction of its advantage. `beta` weighs the distance to a
    reference model, which needs `ref_log_p`. The mean is over the tokens of each answer first and
    then over the answers, as in the paper.

    Source: Shao et al. 2024, equation 3.

    >>> import numpy as np
    >>> p, mask = np.log([[0.5, 0.5], [0.5, 0.25]]), [[True, True], [True, False]]
    >>> grpo_loss(p, p, [1.0, -0.5], mask).tolist()  # minus the mean of the advantages
    -0.25
    """
    xp = array_api_compat.array_namespace(log_p)
    counts = xp.astype(mask, log_p.dtype)  # (B, T)
    if not bool(xp.all(xp.any(mask, axis=-1))):
        raise ValueError("mask must select a token of every answer")
    if not 0 < clip < 1:
        raise ValueError(f"clip must be above 0 and below 1; got {clip}")
    if beta < 0:
        raise ValueError(f"beta must be at least 0; got {beta}")
    if beta > 0 and ref_log_p is None:
        raise ValueError(f"beta needs ref_log_p unless it is 0; got {beta}")
    ratio = xp.exp(log_p - old_log_p)
    clipped = xp.clip(ratio, 1 - clip, 1 + clip)
    a = advantages[:, None]
    gain = xp.minimum(ratio * a, clipped * a)
    if ref_log_p is not None:
        gain = gain - beta * kl_estimate.unchecked(log_p, ref_log_p)
    per_answer = xp.sum(gain * counts, axis=-1) / xp.sum(counts, axis=-1)
    return -xp.mean(per_answer)


@checked
def dpo_loss(
    chosen: Float[Array, "B"],
    rejected: Float[Array, "B"],
    ref_chosen: Float[Array, "B"],
    ref_rejected: Float[Array, "B"],
    *,
    beta: float = 0.1,
) -> Float[Array, ""]:
    """The loss of DPO for B pairs of answers, of which one was chosen and the other rejected.

    Each argument holds the log-probabilities of whole answers: sums over their tokens, given by the
    model and by the reference model. The loss is the cross-entropy of a classifier that has to say
    which answer was chosen, and whose logit is how much further the model than the reference
    prefers it, times `beta`. At the start both agree, so the loss is ln 2.

    Source: Rafailov et al. 2023, equation 7.

    >>> round(float(dpo_loss([-1.0], [-2.0], [-1.0], [-2.0])), 4)
    0.6931
    """
    xp = array_api_compat.array_namespace(chosen)
    if not beta > 0:
        raise ValueError(f"beta must be above 0; got {beta}")
    if chosen.shape[0] == 0:
        raise ValueError("chosen must hold at least one answer; got none")
    margin = beta * ((chosen - ref_chosen) - (rejected - ref_rejected))
    minus_log_sigmoid = xp.logaddexp(xp.zeros_like(margin), -margin)
    return xp.mean(minus_log_sigmoid)
