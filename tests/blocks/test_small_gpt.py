"""The small GPT learns, and the same seed gives the same model."""

from __future__ import annotations

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
