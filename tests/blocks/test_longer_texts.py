"""The experiment on longer texts, in a tiny setting: causal, repeatable, and scored as it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from plainformer.blocks import DecoderOnly
from plainformer.blocks.modules.longer_texts import (
    SCHEMES,
    Scheme,
    Setting,
    losses,
    losses_with_last,
    new_model,
    train,
)

TINY = Setting(
    vocab_size=7, train_length=6, test_length=20, d_model=8, n_heads=2, n_layers=2, batch=4, steps=3
)


def text(n: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(TINY.vocab_size, (n,), generator=torch.Generator().manual_seed(seed))


def state(model: DecoderOnly) -> list[torch.Tensor]:
    return [p.detach() for p in model.parameters()]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_future_is_never_seen(scheme: Scheme) -> None:
    model = train(scheme, text(200), 0, TINY)
    ids = text(20)[None]
    changed = ids.clone()
    changed[:, 12:] = (ids[:, 12:] + 1) % TINY.vocab_size
    with torch.no_grad():
        before, after = model(ids), model(changed)
    assert before.shape == (1, 20, TINY.vocab_size)
    assert torch.equal(before[:, :12], after[:, :12])
    assert not torch.equal(before[:, 12:], after[:, 12:])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_seed_gives_one_model_and_leaves_torch_as_it_was(scheme: Scheme) -> None:
    before = torch.random.get_rng_state()
    one, same, other = (state(train(scheme, text(200), seed, TINY)) for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(a, b) for a, b in zip(one, same, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_training_lowers_the_loss_on_a_text_that_repeats(scheme: Scheme) -> None:
    ids = text(5).repeat(40)
    windows = ids[: TINY.train_length + 1][None]
    born = losses(train(scheme, ids, 0, replace(TINY, steps=0)), windows).mean()
    trained = losses(train(scheme, ids, 0, replace(TINY, steps=60)), windows).mean()
    assert trained < born / 2


def test_rows_beyond_the_training_length_are_never_trained() -> None:
    born = train("learned", text(200), 0, replace(TINY, steps=0))
    trained = train("learned", text(200), 0, TINY)
    L, name = TINY.train_length, "embedding.positions"
    before, after = born.get_parameter(name), trained.get_parameter(name)
    assert before.shape == (TINY.test_length, TINY.d_model)
    assert torch.equal(before[L:], after[L:])
    assert (before[:L] != after[:L]).any(-1).all()


def test_losses_are_cross_entropy_of_the_next_token() -> None:
    model = train("rope", text(200), 0, TINY)
    windows = torch.stack([text(21, seed) for seed in range(40)])  # more than one batch
    with torch.no_grad():
        logits = model(windows[:, :-1])
    expected = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten(), reduction="none")
    torch.testing.assert_close(losses(model, windows).flatten(), expected)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_short_memory_reads_the_last_tokens_and_no_others(scheme: Scheme) -> None:
    model = train(scheme, text(200), 0, TINY)
    windows = torch.stack([text(21, seed) for seed in range(3)])
    short = losses_with_last(model, windows, 6, 4)
    assert short.shape == losses(model, windows)[:, 5::4].shape == (3, 4)
    for column, t in enumerate(range(5, 20, 4)):
        alone = losses(model, windows[:, t - 5 : t + 2])[:, -1]  # six tokens, then the next
        torch.testing.assert_close(short[:, column], alone)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"scheme must be 'none', .* got 'xpos'"):
        new_model("xpos", TINY, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="ids must be longer than train_length, which is 6; got 6"):
        train("rope", text(6), 0, TINY)
    with pytest.raises(ValueError, match="n_heads must divide d_model, which is 8; got 3"):
        new_model("rope", replace(TINY, n_heads=3), 0)
    for context in (0, 21):
        with pytest.raises(ValueError, match=rf"^context must be from 1 to 20; got {context}$"):
            losses_with_last(new_model("rope", TINY, 0), text(21)[None], context)
