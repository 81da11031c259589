"""The engine's other models and its switches against torch: small models with random weights."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tests.widgets.engine import as_numpy, check_same, forward, open_model, read, script

from plainformer.blocks import DecoderOnly, TransformerConfig, ablate, patch, trace

if TYPE_CHECKING:
    from playwright.sync_api import Page

IDS = [3, 1, 4, 1, 5, 9, 2, 6]
LLAMA_3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 100,  # pairs that stay, are mixed, and are slowed
}  # fmt: skip

CONFIGS: dict[str, dict[str, Any]] = {
    "gpt2": {"positions": "learned", "max_length": 12, "activation": "gelu_tanh"},
    "paper": {
        "positions": "sinusoidal", "d_model": 15, "n_heads": 3, "norm_place": "post",
        "activation": "relu", "scale_embedding": True, "tied": False, "head_bias": True,
    },
    "grouped": {
        "positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 2, "d_head": 6,
        "rope_scaling": LLAMA_3, "rope_theta": 500.0, "ff_bias": False,
        "attention_bias": {"q": True, "k": True, "v": True, "o": False},
    },
    "half": {
        "positions": "rope", "position_layout": "half", "n_kv_heads": 1, "norm_place": "post",
        "norm": "rms", "activation": "silu", "attention_bias": False,
    },
    "alibi": {"positions": "alibi", "d_model": 24, "n_heads": 6, "norm_embedding": True},
    "waves": {"positions": "sinusoidal", "position_layout": "half", "n_segments": 2},
    "none": {"positions": None, "norm": "rms"},
}  # fmt: skip


def new_model(name: str) -> DecoderOnly:
    """All parameters are random, also those that begin as 0 or 1."""
    sizes = {"vocab_size": 11, "d_model": 16, "n_layers": 2, "n_heads": 4, "d_ff": 20}
    model = DecoderOnly(TransformerConfig(family="decoder", **(sizes | CONFIGS[name])))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.5, generator=generator)
    return model.eval()


def steps_of(model: DecoderOnly, replacements: Any = None, **options: Any) -> dict[str, np.ndarray]:
    with torch.no_grad():
        return as_numpy(patch(model, torch.tensor([IDS]), replacements or {}, **options))


def nothing(there: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(there)


@pytest.mark.parametrize("name", CONFIGS)
def test_every_kind_of_model(page: "Page", name: str) -> None:
    """Whole, with a cache in pieces, and with all tokens at one place."""
    model = new_model(name)
    open_model(page, model, "float32")
    check_same(forward(page, IDS), steps_of(model))

    cache = model.new_cache(1)
    script(page, "window.cache = m.newCache(model);")
    for start, end in ((0, 3), (3, 4), (4, 8)):
        ids = torch.tensor([IDS[start:end]])
        with torch.no_grad():
            wanted = as_numpy(trace(model, ids, cache=cache))
        check_same(forward(page, IDS[start:end], "{ cache }"), wanted)

    here = {} if name != "alibi" else {f"layers.{i}.attention.scores": unbiased for i in range(2)}
    wanted = steps_of(model, here, positions=torch.zeros(1, len(IDS), dtype=torch.long))
    check_same(forward(page, IDS, "{ positions: false }"), wanted)


def unbiased(scores: torch.Tensor) -> torch.Tensor:
    """Without ALiBi, which in torch knows no positions but the tokens' order."""
    from plainformer.inputs import alibi_bias

    return scores - alibi_bias(6, len(IDS), like=scores)


SWITCHES: dict[str, Any] = {
    "{ off: { heads: [[0, 1], [1, 2], [0, 3]] } }": {
        "layers.0.attention.heads": ablate(1, 3),
        "layers.1.attention.heads": ablate(2),
    },
    "{ off: { layers: [1] } }": {
        "layers.1.attention.output": nothing,
        "layers.1.feed_forward.output": nothing,
    },
    "{ off: { attention: [0], feedForward: [1] } }": {
        "layers.0.attention.output": nothing,
        "layers.1.feed_forward.output": nothing,
    },
}


def hiding(*tokens: int) -> Any:
    """What becomes of weights when nobody but itself may look at a token."""

    def renormed(weights: torch.Tensor) -> torch.Tensor:
        seen = torch.ones(len(IDS), len(IDS), dtype=torch.bool)
        seen[:, list(tokens)] = False
        kept = weights * (seen | torch.eye(len(IDS), dtype=torch.bool))
        return kept / kept.sum(-1, keepdim=True)

    return renormed


HIDDEN = {f"layers.{i}.attention.weights": hiding(0, 3, 7) for i in range(2)}


@pytest.mark.parametrize("name", ["grouped", "half"])  # pre and post
def test_what_is_switched_off_hidden_or_replaced(page: "Page", name: str) -> None:
    model = new_model(name)
    open_model(page, model, "float32")
    for options, replacements in (SWITCHES | {"{ hidden: [0, 3, 7] }": HIDDEN}).items():
        check_same(forward(page, IDS, options), steps_of(model, replacements))

    # every step replaced in turn, by something of the same size
    rng = np.random.default_rng(2)
    for step, there in steps_of(model).items():
        new = rng.normal(size=there.shape).astype(np.float32)
        body = """
          const [ids, name, numbers] = x;
          const replace = { [name]: Float32Array.from(numbers) };
          return pack(m.forward(model, ids, { replace }));
        """
        found = read(script(page, body, [IDS, step, new.ravel().tolist()]))
        check_same(found, steps_of(model, {step: torch.from_numpy(new)[None]}), 1e-3)

    for layer in (-1, 0, 1):
        place = "embedding" if layer < 0 else f"layers.{layer}.residual_2"
        with torch.no_grad():
            logits = model.head(model.norm(torch.from_numpy(steps_of(model)[place])))
        body = f"return pack([['lens', m.lens(model, m.forward(model, x), {layer})]]);"
        check_same(read(script(page, body, IDS)), {"lens": logits.numpy()})


@pytest.mark.parametrize(
    ("ids", "options", "message"),
    [
        ("[]", "{}", "ids must have a token or more; got none"),
        ("[11]", "{}", "ids must be from 0 to 10; got 11"),
        ("[1.5]", "{}", "ids must be from 0 to 10; got 1.5"),
        ("Array(13).fill(0)", "{}", "a text must have at most 12 tokens; got 13"),
        ("[1]", "{ off: { heads: [[0, 4]] } }", "a head must be from 0 to 3; got 4"),
        ("[1]", "{ off: { layers: [2] } }", "a layer must be from 0 to 1; got 2"),
        ("[1]", "{ hidden: [-1] }", "hidden must be places from 0 on; got -1"),
        ("[1]", "{ replace: { nothing: new Float32Array(1) } }", 'this model has no step "noth'),
        ("[1]", "{ replace: { norm: [1] } }", "norm must be a Float32Array of 16 numbers; got ob"),
    ],
)
def test_what_does_not_fit_is_refused(page: "Page", ids: str, options: str, message: str) -> None:
    """And a cache stays as it was."""
    open_model(page, new_model("gpt2"), "float32")
    body = f"""
      const cache = m.newCache(model);
      const before = JSON.stringify(cache);
      try {{
        m.forward(model, {ids}, {{ cache, ...{options} }});
      }} catch (error) {{
        return [error.name, error.message, before === JSON.stringify(cache)];
      }}
    """
    kind, said, same = script(page, body)
    assert (kind, same) == ("RangeError", True)
    assert message in said


def test_the_checksum_is_sha_256(page: "Page") -> None:
    import hashlib

    from plainformer.widgets.kit.front_end import bundle

    texts = ["", "abc", *("x" * n for n in (55, 56, 63, 64, 65, 119, 120, 1000))]
    body = "const m = await load(x[0]); const u = new TextEncoder();"
    body += "return x[1].map((text) => m.sha256(u.encode(text)));"
    found = script(page, body, [bundle("engine/sha256"), texts])
    assert found == [hashlib.sha256(text.encode()).hexdigest() for text in texts]
