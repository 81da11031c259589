"""Experiments on layers, units, and what a layer would say."""

from __future__ import annotations

from typing import Any

import torch

from plainformer.blocks import patch, trace

from .judging import Experiment, Finding
from .measuring import check_pair, check_text, model, name_of, silence, stories, story_loss

__all__ = ["EXPERIMENTS"]


def unit_of_a_word(answer: Any) -> Finding:
    """A unit of a feed-forward network that answers to one word."""
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        raise TypeError(f"the answer must be (layer, unit, word); got {answer!r}")
    config = model().model.config
    layer, unit = check_pair(answer[:2], ("layer", "unit"), (config.n_layers, config.d_ff))
    ids = model().tokenizer.encode(check_text(answer[2], (1, 1)))
    if len(ids) != 2:  # <sos> and the word
        raise ValueError(f"the word must be a single token; {answer[2]!r} has {len(ids) - 1}")
    is_word = stories() == ids[1]
    if (count := int(is_word.sum())) < 10:
        raise ValueError(f"the word must occur at least 10 times in the stories; {count} found")
    with torch.no_grad():
        activations = trace(model().model, stories())[f"layers.{layer}.feed_forward.activations"]
    size = activations[..., unit].abs()
    ratio = float(size[is_word].mean() / size[~is_word].mean())
    return Finding(
        ratio >= 20,
        f"On the {count} occurrences of “{answer[2]}” in the stories, the unit's activation is on "
        f"average {ratio:.1f} times as large as on all other tokens. "
        "The experiment looks for 20 times or more.",
    )


def dispensable_layer(answer: Any) -> Finding:
    """The layer that the model misses least."""
    n = model().model.config.n_layers
    if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer < n:
        raise ValueError(f"the answer must be the index of a layer, 0 to {n - 1}; got {answer!r}")
    before = story_loss(model().model)
    losses = [story_loss(model().model, silence(i)) for i in range(n)]
    least = losses[answer] == min(losses)
    return Finding(
        least,
        f"Without this layer, the loss on {len(stories())} stories rises from {before:.2f} to "
        f"{losses[answer]:.2f}. {'No other costs less' if least else 'Another costs less'}.",
    )


def early_answer(answer: Any) -> Finding:
    """A text whose next token is settled after half of the layers."""
    text = check_text(answer, (4, 20))
    ids = torch.tensor([model().tokenizer.encode(text)])
    half = model().model.config.n_layers // 2
    rest = silence(*range(half, model().model.config.n_layers))
    with torch.no_grad():
        whole = patch(model().model, ids, {})["logits"][0, -1].softmax(-1)
        early = patch(model().model, ids, rest)["logits"][0, -1].softmax(-1)
    a, b = int(early.argmax()), int(whole.argmax())
    return Finding(
        a == b and float(min(early[a], whole[b])) >= 0.6,
        f"After {half} layers, the model would say {name_of(a)} ({early[a]:.2f}), and in the end "
        f"it says {name_of(b)} ({whole[b]:.2f}). "
        "The experiment looks for the same token, with 0.60 or more each time.",
    )


EXPERIMENTS = (
    Experiment(
        "blocks.feed_forward",
        "A unit that knows one word",
        "Find a unit of a feed-forward network in course-lm, and a word, such that the unit's "
        "activation is on average at least 20 times as large on this word as on all other tokens. "
        "The answer is (layer, unit, word), with indices from 0.",
        unit_of_a_word,
        ((1, 272, "Once"), (0, 12, "friend")),
    ),
    Experiment(
        "blocks.residual_norm",
        "The layer that is missed least",
        "If the stream skips a layer, as if it were not there, which of course-lm's four "
        "layers costs the least? Guess before you try. The answer is an index from 0.",
        dispensable_layer,
        (2,),
    ),
    Experiment(
        "blocks.lm_head",
        "Settled after half of the way",
        "Find a text of 4 to 20 words after which course-lm would give its final answer already "
        "after two of the four layers, with a probability of at least 0.6 then and in the end. "
        "The answer is a text.",
        early_answer,
        ("Once upon a time there was", "She said to her"),
    ),
)
