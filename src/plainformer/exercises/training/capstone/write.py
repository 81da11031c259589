"""Step 8: the model writes, using the course's decoding."""

from typing import Any

import numpy as np
import torch

from plainformer.decoding import LogitsPipeline, apply_temperature, sample, top_p
from plainformer.exercises.spec import Case, Exact, Exercise
from plainformer.exercises.training.capstone.examples import Bigram, Halving
from plainformer.exercises.training.capstone.tiny import TinyGPT


def write(
    model: torch.nn.Module,
    prompt: list[int],
    n_tokens: int,
    length: int,
    temperature: float,
    p: float,
    seed: int,
) -> list[int]:
    """Continue a prompt by sampling from a model.

    plainformer.decoding has what you need. sample(f, prompt,
    max_new_tokens=..., pipeline=..., rng=...) writes, with
    LogitsPipeline.standard(temperature=..., top_p=...) and
    np.random.default_rng(seed). Its f is a function that you write:
    it gets ids, (1, t) in NumPy, and returns the logits of the next
    token, (1, V). Your model knows only T positions: show it at most
    the last T tokens. It is in evaluation mode.
    model: maps (B, T) ids to (B, T, V) logits. prompt: ids, one or
    more. length: T.
    Returns the prompt and the n_tokens after it.

    >>> table = torch.nn.Embedding.from_pretrained(
    ...     torch.tensor([[0., 99, 0], [0, 0, 99], [99, 0, 0]]))
    >>> write(table, [0], 4, 2, 1.0, 0.9, seed=0)
    [0, 1, 2, 0, 1]
    """

    def next_logits(ids: np.ndarray) -> np.ndarray:
        window = torch.as_tensor(ids[:, -length:])
        with torch.no_grad():
            return model(window)[:, -1].numpy()

    model.eval()
    pipeline = LogitsPipeline.standard(temperature=temperature, top_p=p)
    rng = np.random.default_rng(seed)
    return sample(
        next_logits,
        prompt,
        max_new_tokens=n_tokens,
        pipeline=pipeline,
        rng=rng,
    )


_Seven = tuple[torch.nn.Module, list[int], int, int, float, float, int]


def _draw(rng: np.random.Generator) -> _Seven:
    V, T, seed = (int(n) for n in rng.integers([4, 2, 0], [8, 5, 1000]))
    model: torch.nn.Module = TinyGPT(V, 4, 1, T, seed=seed)
    if rng.random() < 0.3:
        model = Halving(V, seed=seed).train()
    prompt = [int(i) for i in rng.integers(V, size=rng.integers(1, 7))]
    temperature, p = float(rng.choice([0.5, 2.0, 4.0])), float(rng.choice([0.5, 0.8, 0.9]))
    return model, prompt, int(rng.integers(6, 12)), T, temperature, p, seed


_ROUND = [[0.0, 99.0, 0.0], [0.0, 0.0, 99.0], [99.0, 0.0, 0.0]]
_MILD = [[0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [2.0, 0.0, 0.0]]

EXERCISE = Exercise(
    id="training.capstone.8",
    title="It writes",
    reference=write,
    points=2,
    compare=Exact(),
    cases=(
        Case((Bigram(_ROUND), [0], 4, 2, 1.0, 0.9, 0), [0, 1, 2, 0, 1]),
        # The likeliest token has more than half: top-p leaves no other.
        Case((Bigram(_MILD), [2, 1], 3, 1, 1.0, 0.5, 1), [2, 1, 2, 0, 1]),
        # A temperature near 0 turns a mild preference into a certainty.
        Case((Bigram(_MILD), [0], 5, 4, 0.01, 1.0, 2), [0, 1, 2, 0, 1, 2]),
    ),
    generate=_draw,
    n_generated=20,
    hints=(
        "Define f inside of your function, so that it sees model and length.",
        "ids[:, -length:] are the last tokens, all if there are fewer. torch.as_tensor makes a "
        "tensor of them, and of (1, t, V) logits you want those of the last token.",
        "Between torch and NumPy: within torch.no_grad(), logits.numpy() is an array.",
    ),
    mutants={
        "The temperature is missing.": "temperature=temperature, top_p=p -> top_p=p",
        "There is no top-p: every token may be drawn.": "temperature=temperature, top_p=p -> "
        "temperature=temperature",
        "You cut with top-p first. The standard order is temperature, then "
        "top-p.": "LogitsPipeline.standard(temperature=temperature, top_p=p) -> "
        'LogitsPipeline([("p", lambda z, _: top_p(z, p)), '
        '("t", lambda z, _: apply_temperature(z, temperature))])',
        "You show the model the whole text. It knows length positions: the last ones.": (
            "ids[:, -length:] -> ids"
        ),
        "You show the model the first tokens. The last ones matter.": "ids[:, -length:] -> "
        "ids[:, :length]",
        "You show the model only the last token.": "ids[:, -length:] -> ids[:, -1:]",
        "You show the model one token too few.": "ids[:, -length:] -> "
        "ids[:, -max(1, length - 1) :]",
        "You take the logits after the first token. Those after the last one say what comes "
        "next.": "model(window)[:, -1] -> model(window)[:, 0]",
        "Your model is in training mode, where dropout, for example, would disturb it. Call "
        "eval() first.": "model.eval() -> pass",
        "You begin with another seed than you were given.": "default_rng(seed) -> default_rng(0)",
        "You always take the likeliest token. Draw from the "
        "distribution.": "temperature=temperature, top_p=p -> top_k=1",
        "You return only the new tokens. The prompt belongs to the text.": (
            "return sample( -> new = sample(; rng=rng,\n    ) -> rng=rng,\n    )\n"
            "    return new[len(prompt) :]"
        ),
    },
)


@EXERCISE.alternate
def _step_by_step(
    model: torch.nn.Module,
    prompt: list[int],
    n_tokens: int,
    length: int,
    temperature: float,
    p: float,
    seed: int,
) -> list[int]:
    pipeline = LogitsPipeline.standard(temperature=temperature, top_p=p)
    rng, text = np.random.default_rng(seed), list(prompt)
    model.eval()
    for _ in range(n_tokens):
        logits = model(torch.tensor([text[-length:]]))[:, -1].detach().numpy()
        shown: Any = lambda ids, logits=logits: logits  # noqa: E731
        text = sample(shown, text, max_new_tokens=1, pipeline=pipeline, rng=rng)
    return text


@EXERCISE.alternate
def _in_torch(
    model: torch.nn.Module,
    prompt: list[int],
    n_tokens: int,
    length: int,
    temperature: float,
    p: float,
    seed: int,
) -> list[int]:
    frozen = model.eval().requires_grad_(False)
    return sample(
        lambda ids: frozen(torch.from_numpy(np.asarray(ids))[:, -length:])[:, -1],
        prompt,
        max_new_tokens=n_tokens,
        pipeline=LogitsPipeline(
            [
                ("temperature", lambda z, _: apply_temperature(z, temperature)),
                ("top-p", lambda z, _: top_p(z, p)),
            ]
        ),
        rng=np.random.default_rng(seed),
    )
