"""Experiments on heads, and on what a token can see."""

from __future__ import annotations

from typing import Any

import torch

from plainformer.blocks import ablate, patch
from plainformer.training.heads import head_scores
from plainformer.training.tasks import course_translator

from .judging import Experiment, Finding
from .measuring import check_pair, check_text, model, stories

__all__ = ["EXPERIMENTS"]

TWICE = "your cat is a lovely cat. your cat is a lovely"


def previous_token_head(answer: Any) -> Finding:
    """The head that looks back at the token before."""
    config = model().model.config
    layer, head = check_pair(answer, ("layer", "head"), (config.n_layers, config.n_heads))
    scores = head_scores(model().model, stories())["previous"]
    best = scores[layer, head] == scores.max()
    return Finding(
        bool(best),
        f"The head with index {head} of the layer with index {layer} gives "
        f"{100 * scores[layer, head]:.0f} % of its weight to the token before, averaged over "
        f"{len(stories())} stories. {'No other gives more' if best else 'Another gives more'}.",
    )


def shortest_memory(answer: Any) -> Finding:
    """How many of the last tokens the model needs to know that the cat comes again."""
    ids = model().tokenizer.encode(TWICE)
    most = len(ids) - 1
    if isinstance(answer, bool) or not isinstance(answer, int) or not 1 <= answer <= most:
        raise ValueError(f"the answer must be a whole number from 1 to {most}; got {answer!r}")
    cat = model().tokenizer.encode("cat")[1]
    with torch.no_grad():
        shares = [
            float(model().model(torch.tensor([[ids[0], *ids[-n:]]]))[0, -1].softmax(-1)[cat])
            for n in range(1, most + 1)
        ]
    enough = next(n for n in range(1, most + 1) if min(shares[n - 1 :]) >= 0.9)
    if answer < enough:
        more = "That, or some number above it, is not enough"
    else:
        more = "No smaller number will do" if answer == enough else "A smaller number would do"
    return Finding(
        answer == enough,
        f"With the last {answer} tokens, “cat” has a probability of {shares[answer - 1]:.2f}. "
        f"{more}.",
    )


def forget_by_one_head(answer: Any) -> Finding:
    """The head without which the model no longer repeats what it has read."""
    config = model().model.config
    layer, head = check_pair(answer, ("layer", "head"), (config.n_layers, config.n_heads))
    before = _logit_of_cat(None)
    lost = {
        (i, j): before - _logit_of_cat((i, j))
        for i in range(config.n_layers)
        for j in range(config.n_heads)
    }
    rank = sorted(lost.values(), reverse=True).index(lost[layer, head]) + 1
    return Finding(
        rank == 1,
        f"Without this head, the logit of “cat”, less the mean of all logits, falls by "
        f"{lost[layer, head]:.2f} from {before:.2f}. "
        + ("No other head costs as much." if rank == 1 else f"In this it is number {rank} of 16."),
    )


def _logit_of_cat(head: tuple[int, int] | None) -> float:
    ids = torch.tensor([model().tokenizer.encode(TWICE)])
    off = {} if head is None else {f"layers.{head[0]}.attention.heads": ablate(head[1])}
    with torch.no_grad():
        logits = patch(model().model, ids, off)["logits"][0, -1]
    return float(logits[model().tokenizer.encode("cat")[1]] - logits.mean())


def two_forms(answer: Any) -> Finding:
    """One English word that becomes two Italian ones, because of a word somewhere else."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise TypeError(f"the answer must be a pair of English sentences; got {answer!r}")
    first, second = (check_text(text, (2, 8)).lower() for text in answer)
    a, b = (course_translator().translate([text])[0] for text in (first, second))
    forms = sorted(
        (x, y)
        for x in set(a.split()) - set(b.split())
        for y in set(b.split()) - set(a.split())
        if len(x) >= 4 and x[:-1] == y[:-1]
    )
    shared = set(first.split()) & set(second.split())
    what = f"The first becomes “{a}”, and the second “{b}”."
    if not shared or not forms:
        return Finding(False, f"{what} No word has two forms that differ in their last letter.")
    return Finding(True, f"{what} Look at “{forms[0][0]}” and “{forms[0][1]}”.")


EXPERIMENTS = (
    Experiment(
        "attention.self_attention",
        "A head that looks back one word",
        "Which head of course-lm gives the largest share of its weight to the token before? The "
        "answer is a pair (layer, head) of indices, which begin at 0 in code.",
        previous_token_head,
        ((1, 1),),
    ),
    Experiment(
        "attention.masking",
        "The shortest memory",
        f"Course-lm reads `<sos>` and only the last few tokens of “{TWICE}”. How many does it "
        "need so that, with this number and with any larger one, it gives “cat” at least 0.9? "
        "The answer is a whole number.",
        shortest_memory,
        (8,),
    ),
    Experiment(
        "attention.cross_attention",
        "One word, two forms",
        "In Italian, an adjective agrees with its noun. Find two English sentences of two to eight "
        "words with a word in common that course-translator writes in two forms, which differ in "
        "their last letter. The answer is a pair of sentences.",
        two_forms,
        (("the woman is tall", "the man is tall"),),
    ),
    Experiment(
        "attention.multi_head",
        "Make it forget",
        f"After “{TWICE}”, course-lm expects “cat”, because it has read the sentence before. Which "
        "single head can be removed so that the logit of “cat” falls most? The answer is a pair "
        "(layer, head) of indices.",
        forget_by_one_head,
        ((0, 2),),
    ),
)
