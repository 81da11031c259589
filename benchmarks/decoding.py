"""Measure decoding: logits processors and searches beside transformers', and the n-gram model.

    python benchmarks/decoding.py [--repeats 9] [--threads 1] [--only processors search cache ngram]

Each two must first agree; `race.py` says how they are measured.

*Processors*: one step for 8 texts of 128 tokens over a vocabulary of 50,257, in float32: the
repetition penalty, temperature, top-k, top-p and min-p, by `LogitsPipeline.standard` and by the
processors that transformers has for them. Frequency and presence penalties it has not: the row "all
seven", ours with both beside its five, has no limit. Ours is given the counts of tokens, kept up to
date as `sample` keeps them; theirs, the tokens. "Flat" logits are nearly all alike, so that a
nucleus of 0.9 holds half of the vocabulary; "peaked" ones are more like a model's. The two must
keep the same tokens, but for one in a row: transformers adds up a nucleus in float32, ours in
float64, and at its edge that may decide.

*Search*: greedy, and with 4 beams, 128 new tokens by a GPT-2 of 4 layers, 128 wide, with random
weights and a vocabulary of 2,048; `greedy_search` and `beam_search` beside `generate` without its
cache. Both compute the logits of the last place alone. Nearly all of this time is the network's
own. So the two also search over a table in its place: what is measured then is searching alone.

*Cache*: the same with the network's cache on both sides. Transformers' own `DynamicCache` stands
behind our seam, so that what differs is the loop around it: which rows are kept, what is asked, how
often logits are looked at. Speculation, four guesses a round, has the network's own first half for
its draft, and is drawn; the two need not draw alike, so that row has no limit. The
rows "no cache" are ours beside ours without it: what a cache is worth.

*N-gram*: tokens in a second that `generate` draws from the n-gram model of the chapters. The limit
is for 64 texts at once. One text alone, a token at a time, is printed without one: each step
has some calls of NumPy that a batch shares. The model counts in dictionaries, which are easier to
read than they are fast; the limit is what the pages need. `CounterRNG` is written in Python.

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import copy
import platform
import statistics
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import torch
import transformers
from race import Race, run, threads
from torch import Tensor
from transformers import (
    DynamicCache,
    GPT2Config,
    GPT2LMHeadModel,
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)
from transformers.modeling_outputs import CausalLMOutput

from plainformer.decoding import (
    CounterRNG,
    LogitsPipeline,
    beam_search,
    generate,
    greedy_search,
    speculative_sample,
)
from plainformer.decoding.example import model as ngram_model
from plainformer.decoding.example import tokenizer
from plainformer.decoding.penalties import count_tokens
from plainformer.decoding.sampling.pipeline import TokenCounts

B, V = 8, 50_257
TOKENS_PER_SECOND = 3_000


# Processors

SETTINGS: dict[str, Any] = {"repetition_penalty": 1.2, "temperature": 0.8}
PENALTIES: dict[str, Any] = {"frequency_penalty": 0.3, "presence_penalty": 0.2}
FILTERS: dict[str, Any] = {"top_k": 50, "top_p": 0.9, "min_p": 0.05}


def their_processors(names: dict[str, Any]) -> LogitsProcessorList:
    known: dict[str, Callable[[Any], Any]] = {
        "repetition_penalty": RepetitionPenaltyLogitsProcessor,
        "temperature": TemperatureLogitsWarper,
        "top_k": TopKLogitsWarper,
        "top_p": TopPLogitsWarper,
        "min_p": MinPLogitsWarper,
    }
    return LogitsProcessorList([known[name](value) for name, value in names.items()])


def same_logits(ours: Any, theirs: Tensor) -> str:
    """The same tokens, but for one at the edge of a nucleus, and for these the same logits?"""
    ours = torch.as_tensor(ours)
    kept, their_kept = ours > -torch.inf, theirs > -torch.inf
    both = kept & their_kept
    if int((kept != their_kept).sum(dim=-1).max()) > 1:
        return "they keep other tokens"
    alike = torch.allclose(ours[both], theirs[both], rtol=1e-5, atol=1e-5)
    return "" if alike else "the logits differ"


def same_tokens(ours: list[int], theirs: list[int]) -> str:
    return "" if ours == theirs else "the tokens differ"


def processor_race(
    name: str,
    logits: Tensor,
    settings: dict[str, Any],
    *,
    more: dict[str, Any] | None = None,
    make: Callable[[Tensor], Any] = torch.asarray,
    at_most: float | None = 1.0,
) -> Race:
    """Our pipeline, with `more` settings, beside their processors without."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(V, (B, 128), generator=generator)
    counts = (make(count_tokens(part, V)) for part in (ids[:, :64], ids[:, 64:]))
    history = TokenCounts(*counts)
    pipeline = LogitsPipeline.standard(**settings, **(more or {}))
    theirs, given = their_processors(settings), make(logits)
    return Race(
        name,
        lambda: pipeline(given, history),
        lambda: theirs(ids, logits),
        at_most,
        None if more else same_logits,
    )


def processor_races() -> list[Race]:
    flat = torch.randn(B, V, generator=torch.Generator().manual_seed(0))
    peaked = 4 * flat
    all_five, no_k = SETTINGS | FILTERS, {**SETTINGS, "top_p": 0.9}
    races = []
    for name, logits in (("flat", flat), ("peaked", peaked)):
        races += [
            processor_race(f"all five, {name}", logits, all_five),
            processor_race(f"all seven, {name}", logits, all_five, more=PENALTIES, at_most=None),
            processor_race(f"no top-k, no min-p, {name}", logits, no_k),
            processor_race(f"all five, {name}, NumPy", logits, all_five, make=np.asarray),
        ]
    singles: dict[str, Any] = SETTINGS | FILTERS
    races += [
        processor_race(f"{key} alone, peaked", peaked, {key: value}, at_most=None)
        for key, value in singles.items()
    ]
    return races


# Search


CONFIG = GPT2Config(
    vocab_size=2048,
    n_embd=128,
    n_layer=4,
    n_head=4,
    n_positions=256,
    bos_token_id=None,
    eos_token_id=None,
    pad_token_id=0,
    initializer_range=0.2,  # or all tokens are nearly as probable as one another
)


class Table(GPT2LMHeadModel):
    """Instead of four layers: the logits of the next token stand in a row of a table."""

    table = 3 * torch.randn(2048, 2048, generator=torch.Generator().manual_seed(2))

    def forward(self, input_ids: Tensor, **_: Any) -> CausalLMOutput:
        return CausalLMOutput(logits=self.table[input_ids[:, -1:]])


def search_races(network: GPT2LMHeadModel, name: str = "") -> list[Race]:
    """Greedy and with 4 beams, over one network."""
    prompt = torch.randint(2048, (1, 8), generator=torch.Generator().manual_seed(1))
    ids = prompt[0].tolist()

    def logits_fn(ids: np.ndarray) -> Tensor:
        output = network(torch.from_numpy(ids), use_cache=False, logits_to_keep=1)
        return output.logits[:, -1]

    def ours(num_beams: int) -> list[int]:
        if num_beams == 1:
            return greedy_search(logits_fn, ids, max_new_tokens=128)
        settings = {"max_new_tokens": 128, "length_penalty": 1.0}
        return beam_search(logits_fn, ids, num_beams=num_beams, **settings).sequences[0]

    def theirs(num_beams: int) -> list[int]:
        tokens = network.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            max_new_tokens=128,
            num_beams=num_beams,
            do_sample=False,
            use_cache=False,
        )
        return tokens[0].tolist()

    return [
        Race(f"greedy{name}", lambda: ours(1), lambda: theirs(1), 1.0, same_tokens),
        Race(f"4 beams{name}", lambda: ours(4), lambda: theirs(4), 1.0, same_tokens),
    ]


# With a cache


class Cached(torch.nn.Module):
    """A network of transformers as a `CausalModel`."""

    def __init__(self, network: GPT2LMHeadModel) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, *, cache: Any = None, positions: None = None) -> Tensor:
        theirs = None if cache is None else cache.theirs
        logits: Tensor = self.network(
            ids, past_key_values=theirs, use_cache=theirs is not None
        ).logits
        return logits

    def new_cache(self, batch: int, max_length: int | None) -> TheirCache:
        return TheirCache()


class TheirCache:
    """Transformers' cache, by the names of ours."""

    def __init__(self) -> None:
        self.theirs = DynamicCache()

    @property
    def length(self) -> int:
        return int(self.theirs.get_seq_length())

    def rewind(self, length: int) -> None:
        if length < self.length:
            self.theirs.crop(length - self.length)

    def select(self, rows: np.ndarray) -> None:
        self.theirs.batch_select_indices(torch.from_numpy(rows))


def half_of(network: GPT2LMHeadModel) -> GPT2LMHeadModel:
    """The same network with the first half of its layers: it guesses what the whole one says."""
    half = copy.deepcopy(network)
    half.transformer.h = half.transformer.h[: CONFIG.n_layer // 2]
    half.config.n_layer = CONFIG.n_layer // 2
    return half


def cache_races(network: GPT2LMHeadModel) -> list[Race]:
    """Greedy, 4 beams and speculation: against transformers, and against ours without a cache."""
    prompt = torch.randint(2048, (1, 8), generator=torch.Generator().manual_seed(1))
    ids, half = prompt[0].tolist(), half_of(network)
    cached, draft = Cached(network), Cached(half)

    def uncached(part: GPT2LMHeadModel) -> Callable[[np.ndarray], Tensor]:
        return lambda ids: part(torch.from_numpy(ids), use_cache=False).logits[:, -1]

    def greedy(model: Any) -> list[int]:
        return greedy_search(model, ids, max_new_tokens=128)

    def beams(model: Any) -> list[int]:
        settings = {"max_new_tokens": 128, "length_penalty": 1.0}
        return beam_search(model, ids, num_beams=4, **settings).sequences[0]

    def speculate(target: Any, guesses: Any) -> list[int]:
        rng = np.random.default_rng(0)
        return speculative_sample(
            target, guesses, ids, max_new_tokens=128, draft_length=4, rng=rng
        ).ids

    def theirs(**more: Any) -> list[int]:
        mask = torch.ones_like(prompt)
        return network.generate(
            prompt, attention_mask=mask, max_new_tokens=128, use_cache=True, **more
        )[0].tolist()

    half.generation_config.num_assistant_tokens = 4
    half.generation_config.num_assistant_tokens_schedule = "constant"
    half.generation_config.assistant_confidence_threshold = 0.0
    guessing = {"assistant_model": half, "do_sample": True, "top_k": 0}
    plain, plain_half = uncached(network), uncached(half)
    return [
        Race("greedy", lambda: greedy(cached), lambda: theirs(do_sample=False), 1.0, same_tokens),
        Race(
            "4 beams",
            lambda: beams(cached),
            lambda: theirs(do_sample=False, num_beams=4),
            1.0,
            same_tokens,
        ),
        Race("speculation", lambda: speculate(cached, draft), lambda: theirs(**guessing)),
        Race("greedy, no cache", lambda: greedy(cached), lambda: greedy(plain), 1.0, same_tokens),
        Race("4 beams, no cache", lambda: beams(cached), lambda: beams(plain), 1.0, same_tokens),
        Race(
            "speculation, no cache",
            lambda: speculate(cached, draft),
            lambda: speculate(plain, plain_half),
            1.0,
            same_tokens,
        ),
    ]


# The n-gram model


def run_ngram(repeats: int, count: int = 4000) -> bool:
    """Print one table; whether the n-gram model writes fast enough."""
    fitted, prompt = ngram_model(), tokenizer().encode("The name of the")
    warm = LogitsPipeline.standard(temperature=0.8, top_p=0.9)
    cases: list[tuple[str, int, Callable[[int], Any], LogitsPipeline | None]] = [
        ("one text", 1, np.random.default_rng, None),
        ("one text, CounterRNG", 1, CounterRNG, None),
        ("one, temperature and top-p", 1, np.random.default_rng, warm),
        ("64 texts", 64, np.random.default_rng, None),
        ("64, temperature and top-p", 64, np.random.default_rng, warm),
    ]
    print(f"\nN-gram model, {count:,} tokens or more; medians of {repeats}")
    print(f"{'':28}{'tokens/s':>12}{'at least':>12}")
    kept = True
    for name, texts, make_rng, pipeline in cases:
        steps = max(count // texts, 250)
        taken = []
        for _ in range(repeats + 1):
            drawn = generate(
                fitted, [prompt] * texts, max_new_tokens=steps, pipeline=pipeline, rng=make_rng(7)
            )
            start = perf_counter()
            for _ in drawn:
                pass
            taken.append(perf_counter() - start)
        speed = texts * steps / statistics.median(taken[1:])
        limit = TOKENS_PER_SECOND if name == "64 texts" else None
        missed = limit is not None and speed < limit
        kept = kept and not missed
        print(
            f"{name:28}{speed:12,.0f}"
            + (f"{limit:12,}" if limit else "")
            + ("  missed" if missed else ""),
            flush=True,
        )
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description="Decoding beside transformers.")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parts = ["processors", "search", "cache", "ngram"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_grad_enabled(False)
    transformers.logging.set_verbosity_error()
    heading = threads(arguments.threads)
    print(
        f"Python {platform.python_version()}; torch {torch.__version__}; "
        f"transformers {transformers.__version__}; NumPy {np.__version__}."
    )
    kept = True
    if "processors" in arguments.only:
        title = f"{heading}, a step of {B} texts, V = {V:,}"
        kept &= run(title, processor_races(), 5 * arguments.repeats, "transformers")
    if "search" in arguments.only:
        torch.manual_seed(0)
        races = search_races(GPT2LMHeadModel(CONFIG).eval())
        races += search_races(Table(CONFIG).eval(), ", over a table")
        title = f"{heading}, 128 tokens of a small GPT-2, no cache"
        kept &= run(title, races, arguments.repeats, "transformers")
    if "cache" in arguments.only:
        torch.manual_seed(0)
        races = cache_races(GPT2LMHeadModel(CONFIG).eval())
        title = f"{heading}, 128 tokens of a small GPT-2, with its cache"
        kept &= run(title, races, arguments.repeats, "the other")
    if "ngram" in arguments.only:
        kept &= run_ngram(arguments.repeats)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
