"""The references of the capstone, against the package and torch; and all of them together."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from plainformer.exercises import exercise
from plainformer.exercises.training.capstone.examples import gpt_weights, one_batch
from plainformer.exercises.training.capstone.tiny import TinyGPT
from plainformer.inputs import BPETokenizer
from plainformer.training import Constant, TextBatches, held_out_loss
from plainformer.training.tasks import recorded_capstone

prepare, pairs_at, attend, block, gpt, train, loss_on, write, mended_run = (
    exercise(f"training.capstone.{n}").reference for n in range(1, 10)
)


def test_what_is_held_out_is_new_to_the_tokenizer():
    tokenizer, learned, held_out = prepare("ab" * 45 + "xyz" * 3 + "x", 300)
    assert all(set(token) <= set(b"ab") for pair in tokenizer.merges for token in pair)
    assert tokenizer.decode(learned.tolist()) == "ab" * 45
    assert tokenizer.decode(held_out.tolist()) == "xyz" * 3 + "x"
    assert isinstance(tokenizer, BPETokenizer)


def test_pairs_are_those_of_the_packages_batches():
    ids = torch.arange(50)
    batches = TextBatches(ids, context_length=7, batch_size=5, seed=3)
    inputs, targets = batches.next_batch()
    ours = pairs_at(ids, inputs[:, 0], 7)
    assert torch.equal(ours[0], inputs) and torch.equal(ours[1], targets)


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_attention_is_torchs(n_heads):
    g = torch.Generator().manual_seed(n_heads)
    x = torch.randn(2, 5, 8, generator=g).double()
    w = {name: each[0] for name, each in gpt_weights(3, 8, 1, 5, seed=0).items() if each.ndim > 2}
    theirs = torch.nn.MultiheadAttention(8, n_heads, bias=False, batch_first=True).double()
    theirs.load_state_dict({"in_proj_weight": w["qkv"].T, "out_proj.weight": w["out"].T})
    mask = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected, _ = theirs(x, x, x, attn_mask=mask, need_weights=False)
    torch.testing.assert_close(attend(x, w, n_heads), expected)


def test_no_token_sees_what_comes_after_it():
    ids = torch.tensor([[0, 3, 1, 4, 2], [0, 3, 1, 4, 0], [0, 3, 0, 0, 0]])
    logits = gpt(ids, gpt_weights(5, 4, 3, 6, seed=1), n_heads=2)
    assert torch.equal(logits[0, :4], logits[1, :4])
    assert torch.equal(logits[0, :2], logits[2, :2])
    assert not torch.equal(logits[0, 4], logits[1, 4])


def test_a_batch_is_learned_by_heart():
    losses = train(TinyGPT(5, 8, 1, 4, seed=0), one_batch(5, 1, 4, 80, seed=0), Constant(0.05))
    assert losses[-1] < 0.05 < 1 < losses[0]


def test_the_held_out_loss_is_the_packages():
    model, ids = TinyGPT(7, 8, 2, 6, seed=2), torch.arange(100) % 7
    assert loss_on(model, ids, 6) == pytest.approx(held_out_loss(model, ids, 6))


def test_all_steps_together_learn_a_text_and_write_it():
    """Eight functions, in a row: a text of one sentence again and again is known in the end."""
    tokenizer, learned, held_out = prepare("your cat is a lovely cat. " * 60, 280)
    weights = {
        name: (0.1 * each).float().requires_grad_()
        for name, each in gpt_weights(280, 16, 1, 16, seed=0).items()
    }

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = torch.nn.ParameterDict(weights)

        def forward(self, ids):
            return gpt(ids, self.weights, n_heads=2)

    model, g = Model(), torch.Generator().manual_seed(0)
    assert loss_on(model, held_out, 8) == pytest.approx(math.log(280), abs=0.3)
    batches = (
        pairs_at(learned, torch.randint(len(learned) - 16, (8,), generator=g), 16)
        for _ in range(120)
    )
    train(model, batches, Constant(0.02))
    assert loss_on(model, held_out, 8) < 1
    ids = write(model, tokenizer.encode("your cat is a"), 24, 16, 0.1, 0.9, seed=0)
    assert "lovely cat. your cat" in tokenizer.decode(ids)


def test_the_mended_run_is_torchs_own():
    table = torch.nn.Embedding(4, 4)
    losses, held = mended_run(
        table.requires_grad_(), [torch.tensor([[1, 2, 0]])], torch.tensor([[1, 3]]), 0.0
    )
    row = table.weight[1:2]
    assert losses == pytest.approx([F.cross_entropy(row, torch.tensor([2])).item()])
    assert held == pytest.approx(F.cross_entropy(row, torch.tensor([3])).item())


def test_the_recording_is_of_a_run_that_learned():
    run = recorded_capstone()
    assert run.loss[0] == pytest.approx(math.log(512), abs=0.1)
    assert np.mean(run.loss[-20:]) < 3.5
    assert [moment.step for moment in run.snapshots] == list(range(0, 801, 50))
