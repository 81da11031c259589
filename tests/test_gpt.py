"""`plainformer.gpt`, the GPT in one file, beside torch; and what it promises about itself."""

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from plainformer import gpt

SIZES = [  # V, D, L, H, T
    (3, 2, 1, 1, 1),
    (5, 6, 2, 3, 4),
    (7, 4, 1, 4, 5),
    (2, 9, 3, 3, 2),
    (4, 5, 2, 1, 6),
]


class Theirs(torch.nn.Module):
    """The same weights in modules of torch."""

    def __init__(self, ours: gpt.GPT) -> None:
        super().__init__()
        matrices = [ours.tokens, ours.positions]
        matrices += [w for block in ours.blocks for w in block.weights()]
        self.weights = torch.nn.ParameterList(
            torch.tensor([[each.data for each in row] for row in w], dtype=torch.float64)
            for w in matrices
        )
        self.n_heads = ours.blocks[0].n_heads

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        tokens, positions, *rest = self.weights
        D = tokens.shape[1]
        x = tokens[ids] + positions[: len(ids)]
        for i in range(0, len(rest), 6):
            query, key, value, out, up, down = rest[i : i + 6]
            h = F.layer_norm(x, (D,))
            found, _ = F.multi_head_attention_forward(
                *(h[:, None],) * 3,
                embed_dim_to_check=D,
                num_heads=self.n_heads,
                in_proj_weight=torch.cat([query, key, value]),
                in_proj_bias=None,
                bias_k=None,
                bias_v=None,
                add_zero_attn=False,
                dropout_p=0.0,
                out_proj_weight=out,
                out_proj_bias=None,
                need_weights=False,
                attn_mask=torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1),
            )
            x = x + found[:, 0]
            x = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (D,)), up)), down)
        return F.linear(F.layer_norm(x, (D,)), tokens)


def random_model(V: int, D: int, L: int, H: int, T: int) -> tuple[gpt.GPT, random.Random]:
    rng = random.Random(V + D)
    return gpt.GPT(V, D, L, H, T, rng), rng


def values(numbers: list[gpt.Scalar]) -> torch.Tensor:
    return torch.tensor([each.data for each in numbers], dtype=torch.float64)


@pytest.mark.parametrize("sizes", SIZES)
def test_logits_gradients_and_steps_are_torchs(sizes) -> None:
    V, T = sizes[0], sizes[-1]
    ours, rng = random_model(*sizes)
    theirs = Theirs(ours)
    optimizer = gpt.AdamW(ours.parameters())
    torchs = torch.optim.AdamW(theirs.parameters(), lr=0.01, betas=(0.9, 0.95), weight_decay=0.1)
    for _ in range(5):
        ids, targets = ([rng.randrange(V) for _ in range(T)] for _ in range(2))
        logits = ours(ids)
        wanted = theirs(torch.tensor(ids))
        torch.testing.assert_close(
            torch.stack([values(row) for row in logits]), wanted.detach(), rtol=1e-9, atol=1e-9
        )
        pairs = zip(logits, targets, strict=True)
        loss = gpt.total([gpt.cross_entropy(row, target) for row, target in pairs]) / T
        loss.backward()
        torchs.zero_grad()
        F.cross_entropy(wanted, torch.tensor(targets)).backward()
        grads = torch.tensor([p.grad for p in ours.parameters()], dtype=torch.float64)
        expected = torch.cat([w.grad.flatten() for w in theirs.weights])
        torch.testing.assert_close(grads, expected, rtol=1e-7, atol=1e-9)
        optimizer.step(lr=0.01)
        torchs.step()
    expected = torch.cat([w.detach().flatten() for w in theirs.weights])
    torch.testing.assert_close(values(ours.parameters()), expected, rtol=1e-7, atol=1e-8)


FLOATS = st.floats(-4, 4)


@given(FLOATS, st.floats(0.1, 4))
def test_every_operation_has_the_derivative_of_torch(a: float, b: float) -> None:
    """Each of them, and a number that is used more than once."""
    ours = [gpt.Scalar(a), gpt.Scalar(b)]
    theirs = [torch.tensor(each, dtype=torch.float64, requires_grad=True) for each in (a, b)]
    x, y = ours
    (x * y + x.exp() / y - y.log() * 2.0 + x.gelu() * y**1.5 + (x - y) * x + 3.0).backward()
    t, u = theirs
    (t * u + t.exp() / u - u.log() * 2.0 + F.gelu(t) * u**1.5 + (t - u) * t + 3.0).backward()
    for found, wanted in zip(ours, theirs, strict=True):
        assert found.grad == pytest.approx(wanted.grad.item(), rel=1e-9, abs=1e-9)
    assert gpt.tape == []


def test_a_token_does_not_see_the_ones_after_it() -> None:
    model, _ = random_model(5, 6, 2, 3, 4)
    first, second = ([values(row) for row in model(ids)] for ids in ([1, 2, 3, 4], [1, 2, 0, 0]))
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])
    assert not torch.equal(first[2], second[2])


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_tokens_are_drawn_from_softmax(temperature: float) -> None:
    rng, logits = random.Random(0), [1.0, -2.0, 0.5, 2.5]
    drawn = [gpt.sample(logits, temperature, rng) for _ in range(4000)]
    wanted = torch.tensor(logits, dtype=torch.float64).div(temperature).softmax(-1) * len(drawn)
    found = torch.tensor([drawn.count(i) for i in range(4)])
    assert ((found - wanted) ** 2 / wanted).sum() < 16.27  # chi-squared, exceeded once in 1,000
    assert gpt.sample(logits, 0, rng) == 3


def test_text_survives_encoding() -> None:
    assert [gpt.decode(gpt.encode(text)) for text in gpt.SENTENCES] == gpt.SENTENCES


def test_writing_ends_with_the_sentence_or_the_positions() -> None:
    model, rng = random_model(len(gpt.VOCABULARY), 4, 1, 2, 5)
    texts = [gpt.write(model, "my cat", 2.0, rng) for _ in range(30)]
    assert all(text.startswith("my cat ") for text in texts)
    assert {text.endswith(" .") for text in texts} == {True, False}
    assert max(len(text.split()) for text in texts) == 4  # the fifth position is the start's


def test_it_runs_alone_and_imports_nothing_else(tmp_path: Path) -> None:
    """A copy, in a Python that sees no installed package, writes a sentence."""
    source = Path(gpt.__file__).read_text(encoding="utf-8")
    imported = [
        each.module if isinstance(each, ast.ImportFrom) else each.names[0].name
        for each in ast.walk(ast.parse(source))
        if isinstance(each, ast.Import | ast.ImportFrom)
    ]
    assert imported == ["math", "random"]
    (tmp_path / "gpt.py").write_text(source, encoding="utf-8")
    code = (
        "import gpt, random; r = random.Random(0)\n"
        "model = gpt.GPT(len(gpt.VOCABULARY), 4, 1, 2, 8, r)\n"
        "gpt.train(model, gpt.SENTENCES, 2, 0.01, r); print(gpt.write(model, 'my cat', 0, r))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("my cat ")
