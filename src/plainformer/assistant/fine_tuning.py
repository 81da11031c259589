"""Supervised fine-tuning: turn course-lm, which continues stories, into a model that answers.

The questions are about small facts from the world of the stories, and a generator makes them up, so
that a held-out quarter of the facts can be kept from training. The training loop is that of
pre-training; what is new are the data, the special tokens, and the mask.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import check_flag, check_number, check_size
from plainformer.assistant.chat_template import (
    COURSE_CHAT,
    EncodedChat,
    encode_chat,
    mask_targets,
)
from plainformer.assistant.lora import add_lora, count_trainable
from plainformer.blocks import DecoderOnly
from plainformer.decoding import LogitsPipeline, sample
from plainformer.inputs import BPETokenizer
from plainformer.training.batches import ExampleBatches, pad_batch
from plainformer.training.evaluate import evaluation_mode, held_out_loss
from plainformer.training.loop import Run, train
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.tasks import LanguageModel, course_lm, course_lm_stories

__all__ = [
    "ALL_LINEAR", "FineTuned", "add_special_tokens", "answer_question", "collate_chats",
    "exact_match", "fine_tune", "make_chats", "story_loss",
]  # fmt: skip

NAMES = ("Lily", "Tom", "Tim", "Max", "Ben", "Mia", "Sam", "Lucy", "Jack", "Anna")
COLOURS = ("red", "blue", "green", "yellow", "pink")
THINGS = ("ball", "kite", "hat", "box", "cake", "car", "book", "flower", "cup", "boat", "apple")
PLACES = ("park", "garden", "forest", "house", "river", "lake", "kitchen", "yard", "zoo")

ALL_LINEAR = ("w_q", "w_k", "w_v", "w_o", "w_up", "w_gate", "w_down")
"""The names of the seven matrices of each layer of course-lm."""

Chat = list[dict[str, str]]


@dataclass(frozen=True)
class FineTuned:
    """A fine-tuned model, with what was measured."""

    model: DecoderOnly
    tokenizer: BPETokenizer
    trainable: int  # the number of weights that training could change
    losses: list[float]  # of each step, per token that counts
    exact: float  # the share of held-out questions whose answer is right, token for token
    stories: float  # the loss on `course_lm_stories`, in nats per token


def make_chats(
    count: int, *, held_out: bool = False, n_facts: int = 1, seed: int = 0
) -> list[Chat]:
    """Make up questions with answers, each about a fact that the user tells before asking.

    With `n_facts`, the user tells that many, and asks about one of them. A quarter of all facts is
    held out: no training question asks about one of these. The same seed gives the same questions.

    >>> [[user, assistant]] = make_chats(1, seed=4)
    >>> user["content"]
    'Lucy found a pink boat in the river. What color was the boat?'
    >>> assistant["content"]
    'The boat was pink.'
    """
    rng = np.random.default_rng(check_size(seed, "seed", least=0))
    check_flag(held_out, "held_out")
    chats: list[Chat] = []
    while len(chats) < check_size(count, "count"):
        drawn = [rng.choice(w, n_facts, replace=False) for w in (NAMES, COLOURS, THINGS, PLACES)]
        facts = list(zip(*drawn, strict=True))
        told = [f"{n} found a {c} {t} in the {p}." for n, c, t, p in facts]
        asked = int(rng.integers(n_facts))
        name, colour, thing, place = facts[asked]
        question, reply = [
            (f"What did {name} find?", f"{name} found a {colour} {thing}."),
            (f"Where was the {thing}?", f"The {thing} was in the {place}."),
            (f"Who found the {thing}?", f"{name} found the {thing}."),
            (f"What color was the {thing}?", f"The {thing} was {colour}."),
        ][rng.integers(4)]
        if (zlib.crc32(told[asked].encode()) % 4 == 0) == held_out:
            user = {"role": "user", "content": " ".join([*told, question])}
            chats.append([user, {"role": "assistant", "content": reply}])
    return chats


def add_special_tokens(
    lm: LanguageModel, tokens: Sequence[str], seed: int = 0
) -> tuple[DecoderOnly, BPETokenizer]:
    """Return a copy of a model, and of its tokenizer, with new special tokens at the end.

    The new rows of the embedding are drawn from a normal distribution with the mean and standard
    deviation of the old ones, so that their size is one that the model knows.

    >>> model, tokenizer = add_special_tokens(course_lm(), ["<|end|>"])
    >>> tokenizer.special_tokens, tuple(model.embedding.tokens.shape)
    ({'<sos>': 0, '<|end|>': 2400}, (2401, 128))
    """
    old, V = lm.tokenizer, lm.tokenizer.vocab_size
    new = {token: V + i for i, token in enumerate(tokens)}
    if known := [token for token in tokens if token in old.special_tokens]:
        raise ValueError(f"tokens must be new to the tokenizer; it has {known[0]!r} already")
    tokenizer = BPETokenizer(
        old.vocab, old.merges, special_tokens=old.special_tokens | new, pattern=old.pattern,
        add_prefix_space=old.add_prefix_space, bos_token=old.bos_token,
    )  # fmt: skip
    config = replace(lm.model.config, vocab_size=tokenizer.vocab_size)
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    table = lm.model.embedding.tokens.detach()  # (V, D)
    drawn = torch.randn(len(new), table.shape[1], generator=rng)
    rows = torch.cat([table, table.mean(0) + table.std(0) * drawn])
    model = DecoderOnly(config, impl="sdpa", rng=rng)
    weights = {
        name: rows if tensor.shape == table.shape else tensor
        for name, tensor in lm.model.state_dict().items()
    }
    model.load_state_dict(weights)
    return model, tokenizer


def collate_chats(chats: Sequence[EncodedChat]) -> tuple[Tensor, Tensor]:
    """Pad B conversations to (B, T + 1), and return inputs and masked targets, both (B, T).

    Targets that do not count, padding included, are -100.

    >>> collate_chats([EncodedChat([5, 6, 7], [False, True, True])])
    (tensor([[5, 6]]), tensor([[6, 7]]))
    """
    ids, real = pad_batch([chat.ids for chat in chats], pad_id=0)
    seen = torch.zeros_like(real)
    seen[real] = torch.tensor([each for chat in chats for each in chat.mask])
    return ids[:, :-1], mask_targets(ids, seen)


def exact_match(model: DecoderOnly, chats: Sequence[EncodedChat]) -> float:
    """Return the share of answers that greedy decoding writes exactly, to the end of the turn.

    One forward pass decides it: greedy decoding writes the answer if, and only if, each of its
    tokens is the most likely one after all those before it.
    """
    inputs, targets = collate_chats(chats)
    with evaluation_mode(model):
        right = (model(inputs).argmax(-1) == targets) | (targets == -100)  # (B, T)
    return float(right.all(-1).float().mean())


def story_loss(model: DecoderOnly, tokenizer: BPETokenizer) -> float:
    """Return the loss on the stories that course-lm wrote, to see what fine-tuning has damaged.

    It is measured on 64 pieces of 128 tokens, the same ones for every model.
    """
    ids = [id_ for story in course_lm_stories() for id_ in tokenizer.encode(story)]
    return held_out_loss(model, torch.tensor(ids), context_length=128, max_batches=4)


def answer_question(
    tuned: FineTuned, question: str, *, system: str | None = None, max_new_tokens: int = 20
) -> str:
    """Ask a model a question, and return the answer that greedy decoding writes."""
    messages = [{"role": "user", "content": question}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    prompt = encode_chat(messages, tuned.tokenizer, add_generation_prompt=True).ids
    with evaluation_mode(tuned.model):
        ids = sample(
            tuned.model, prompt,
            max_new_tokens=check_size(max_new_tokens, "max_new_tokens"),
            pipeline=LogitsPipeline.standard(temperature=0.0),
            rng=np.random.default_rng(0),
            eos_token_id=tuned.tokenizer.special_tokens["<|end|>"],
        )  # fmt: skip
    return tuned.tokenizer.decode(ids[len(prompt) :], skip_special_tokens=True).strip()


def fine_tune(
    rank: int | None = None,
    *,
    steps: int = 60,
    peak: float | None = None,
    alpha: float = 16.0,
    targets: Sequence[str] = ALL_LINEAR,
    response_mask: bool = True,
    seed: int = 0,
) -> FineTuned:
    """Fine-tune course-lm to answer questions, with LoRA or, if the rank is None, all weights.

    Without the response mask, the loss also counts the tokens of the question. `peak` is the
    highest learning rate, 4e-3 for LoRA and 1e-3 for all weights unless it is given. There is no
    weight decay.

    Source: Ouyang et al. 2022, section 3.5, for supervised fine-tuning; Hu et al. 2021 for LoRA.

    >>> tuned = fine_tune(rank=1, steps=1)
    >>> tuned.trainable, len(tuned.losses)
    (9760, 1)
    """
    check_flag(response_mask, "response_mask")
    default = 1e-3 if rank is None else 4e-3
    rate = default if peak is None else check_number(peak, "peak")
    new = [each for each in COURSE_CHAT.special_tokens if each != "<sos>"]
    model, tokenizer = add_special_tokens(course_lm(), new, seed)
    if rank is not None:
        rng = torch.Generator().manual_seed(seed)
        add_lora(model, rank, alpha=alpha, targets=targets, rng=rng)
    batches = chat_batches(tokenizer, seed, response_mask)
    optimizer = adamw(model, weight_decay=0.0)
    warmup = min(10, steps - 1)
    schedule = Cosine(rate, warmup=warmup, total=steps, floor=rate / 10)
    run = Run(
        model, optimizer, schedule, batches, masked_loss, count=count_targets
    )  # fmt: skip
    losses: list[float] = []
    train(run, steps, report=lambda progress: losses.append(progress.loss))
    model.eval()
    unseen = make_chats(200, held_out=True, seed=7)
    test = [encode_chat(chat, tokenizer) for chat in unseen]
    right = exact_match(model, test)
    stories = story_loss(model, tokenizer)
    return FineTuned(
        model, tokenizer, count_trainable(model), losses, right, stories
    )  # fmt: skip


def chat_batches(tokenizer: BPETokenizer, seed: int, response_mask: bool) -> ExampleBatches:
    """Return batches of 16 from 2,000 made-up chats, of which the loss counts the answers."""
    chats = [encode_chat(chat, tokenizer) for chat in make_chats(2000, seed=seed)]
    if not response_mask:
        chats = [EncodedChat(ids, [True] * len(ids)) for ids, _ in chats]
    return ExampleBatches(
        chats, 16, collate=collate_chats, length_of=lambda chat: len(chat.ids), seed=seed
    )


def count_targets(batch: tuple[Tensor, ...]) -> int:
    """Count the targets of a batch that the loss counts, those that are not -100."""
    return int((batch[-1] != -100).sum())


def masked_loss(model: Any, batch: tuple[Tensor, ...]) -> Tensor:
    """Compute the mean cross-entropy of the targets that are not -100, with torch's kernel."""
    inputs, targets = batch
    logits = model(inputs)  # (B, T, V)
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)
