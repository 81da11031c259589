"""The small GPT learns, and the same seed gives the same model."""

from __future__ import annotations

import pytest
import torch

from plainformer.blocks.modules.small_gpt import perplexity, train


def test_it_learns_and_is_seeded() -> None:
    first, again, other = train(2), train(2), train(2, seed=1)
    ids = first.held_out[:600]
    weights, same, different = (t.model.embedding.tokens for t in (first, again, other))
    torch.testing.assert_close(weights, same)
    assert not torch.allclose(weights, different)
    assert torch.equal(torch.cat([first.read, first.held_out]),
                       torch.cat([again.read, again.held_out]))  # fmt: skip
    assert perplexity(train(30).model, ids) < 0.7 * perplexity(first.model, ids)


def test_too_few_tokens_and_steps_are_named() -> None:
    trained = train(0)
    assert perplexity(trained.model, trained.held_out[:49]) > 1
    with pytest.raises(ValueError, match="ids must hold at least 49 tokens; got 48"):
        perplexity(trained.model, trained.held_out[:48])
    with pytest.raises(ValueError, match="steps must be 0 or more; got -1"):
        train(-1)
