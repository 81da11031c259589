"""One `Case` for each widget: the widgets of it that every test of all widgets looks at.

A new widget gets a case here; `test_no_widget_is_forgotten` says so.
"""

import math

import numpy as np
import pytest
from tests.training.runs import letters
from tests.widgets.attention_maps import softmax_maps, wide
from tests.widgets.beam_trees import real
from tests.widgets.case import (
    Case,
    complain,
    go_on,
    long_run,
    look_inside,
    told,
    unfold_all,
)
from tests.widgets.generate_box import make
from tests.widgets.glass import computed, forward_pass, glass, growing, random_decoder
from tests.widgets.steppers import LARGE
from tests.widgets.translators import random_translator, settled, translator

from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.decoding import NGramModel
from plainformer.training import History
from plainformer.widgets import (
    AttentionMap,
    AttentionStepper,
    BeamTree,
    BlockFlow,
    BlockSweep,
    BPEMerges,
    CacheGrowth,
    EmbeddingLookup,
    FeedForwardLab,
    ForwardPass,
    GenerateBox,
    GlassModel,
    GradientFlow,
    LogitLens,
    LookupDial,
    ModelBuilder,
    NormLab,
    PositionalWaves,
    RewardLab,
    RotaryVectors,
    SamplerLab,
    ScheduleLab,
    SharingLab,
    TemperatureLab,
    TrainingLab,
    TrainingRun,
    Translator,
)
from plainformer.widgets.kit.checks import MAX_LABEL

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
NAME = "y" * MAX_LABEL
LONG = [NAME, *TOKENS[1:]]
SIX = np.full((6, 6), 1 / 6)
TABLE = [[0.5, -1.25], [999_999.0, 0.25], [0.0, -999_999.0], [1.0, 2.0], [3.0, 4.0]]
TEN = np.array([[10.0, -10.0], [9.875, 0.0], [-0.001, 10.0], [10.0, 10.0]])
SHARES = np.random.default_rng(3).dirichlet(np.ones(5) / 2, size=(5, 6))
WORD = "Donaudampfschifffahrt" * 9  # a word that no tokenizer leaves whole
MANY = np.random.default_rng(5).normal(size=300) * 3
MANY[7] = -np.inf


CASES: dict[str, Case] = {
    "AttentionMap": Case(
        lambda _: AttentionMap(
            TOKENS, [[SIX] * 4] * 2, names=["previous", "same", "first", "all"], d_head=2
        ),
        lambda _: AttentionMap(LONG, np.eye(6), causal=True, d_head=2, names=[NAME]),
        *("query", 3),
        more=lambda _: [
            AttentionMap(TOKENS, [SIX] * 2, causal=True, padding=[True] + [False] * 5, d_head=2),
            AttentionMap(
                [f"{i}-internationalization" for i in range(14)],
                softmax_maps(1, 9, 14, 14),
                padding=[True] * 2 + [False] * 12,
            ),
            wide(40),
        ],
        open_up=unfold_all,
        narrow=".am-word, .am-thumb",
        given=("engine", "text"),  # a text needs a model: see test_attention_map_own_sentence.py
    ),
    "AttentionStepper": Case(
        lambda _: AttentionStepper(),
        lambda _: AttentionStepper(100 * np.ones((6, 4)), -X, X, tokens=LONG, causal=True, step=3),
        *("query", 3),
        more=lambda _: [AttentionStepper(**LARGE, step=4)],
        open_up=complain,
        axe_widths=(420,),
        far={"column": 0},
    ),
    "BPEMerges": Case(
        lambda tokenizer: BPEMerges(tokenizer),
        lambda tokenizer: BPEMerges(
            tokenizer,
            text=WORD + " \u202eabc 👩\u200d👩\u200d👧 " + "\x00" * 40 + "To scroll. €\n" * 30,
            step=8,
        ),
        *("step", 1),
        more=lambda tokenizer: [BPEMerges(tokenizer, compact=True)],
        targets="textarea",
        given=("compact",),
    ),
    "BeamTree": Case(
        lambda _: BeamTree(),
        lambda _: BeamTree.search(
            lambda ids: np.tile(np.linspace(0, 1, 9), (len(ids), 1)),
            [0],
            num_beams=8,
            max_new_tokens=24,
            words=[NAME] * 9,
            step=24,
        ),
        *("step", 3),
        more=lambda _: [BeamTree(step=4, node=8, length_penalty=1), real(0, step=4)],
        targets="[role=treeitem]",
        axe_widths=(400, 900),
        far={"node": 2},
    ),
    "BlockFlow": Case(
        lambda _: BlockFlow(),
        lambda _: BlockFlow(norms="none", token=4, sublayer=3),
        *("norms", "post"),
        more=lambda _: [BlockFlow(on=[False] * 4, norms="post", sublayer=1)],
        narrow=".bf-head",
    ),
    "BlockSweep": Case(
        lambda _: BlockSweep(Q, K, V),
        lambda _: BlockSweep(100 * Q, 100 * K, 1e4 * V, tokens=LONG, block_size=3, step=1, query=1),
        *("step", 2),
        more=lambda _: [
            BlockSweep(Q, K, V, causal=True, step=1),
            BlockSweep(Q, K, V, step=4),
            BlockSweep([[1]] * 9, [[9e5]] * 16, [[-99999.123] * 4] * 16, step=1),
        ],
        axe_widths=(420,),
    ),
    "CacheGrowth": Case(
        lambda _: CacheGrowth(TOKENS, d_model=96, n_heads=12),
        lambda _: CacheGrowth(LONG, d_model=3072, n_heads=12, step=6),
        *("history", [1, 2, 3]),
        more=lambda _: [CacheGrowth(["unbelievable" * 3] * 12, d_model=16_384, step=12)],
    ),
    "EmbeddingLookup": Case(
        lambda _: EmbeddingLookup(TOKENS, TABLE),
        lambda _: EmbeddingLookup(LONG, TABLE),
        *("place", 2),
        more=lambda _: [
            EmbeddingLookup(TOKENS, np.tile(TABLE, (1, 4)), place=1),
            EmbeddingLookup(["x" * 30], [[5000.0] * 8]),
        ],
        axe_widths=(420,),
        given=("table",),
        far={"column": 1},
    ),
    "FeedForwardLab": Case(
        lambda _: FeedForwardLab(points={"cat": (2.3, 3), "is": (1.7, 0.9)}),
        lambda _: FeedForwardLab(
            *(np.full((2, 6), -999.0), np.full((6, 2), 999.125)),
            units=[NAME] * 6,
            features=[NAME, ""],
            points={f"{i:02}{NAME[2:]}": (i / 3, -i / 3) for i in range(12)},
            x=(-4, -5),
            span=(-5, 5),
        ),
        *("x", [0.5, 2]),
        more=lambda _: [
            FeedForwardLab([[1.0], [0.0]], [[0.5, -1.0]], b_up=[9.0], activation="gelu"),
            FeedForwardLab(activation="none", x=(-1, 4), features=("thing", "quality")),
        ],
    ),
    "ForwardPass": Case(
        lambda _: forward_pass(chapters=".."),
        lambda tokenizer: ForwardPass(
            random_decoder(tokenizer.vocab_size, n_layers=6, n_heads=8),
            tokenizer,
            "\u202e €\x00",
            stop=39,
        ),
        *("stop", 10),
        more=lambda _: [
            forward_pass(stop=0),
            forward_pass(stop=3),
            forward_pass(stop=6, token=2),
            forward_pass(stop=28, token=0),
        ],
        narrow=".fp-tokens label",
        far={"token": 2},
    ),
    "GenerateBox": Case(
        lambda _: make(),
        lambda tokenizer: GenerateBox(
            NGramModel(1, vocab_size=tokenizer.vocab_size).fit([0] * 9),
            *(tokenizer,),
            prompt=WORD,
        ),
        *("temperature", 0.5),
        more=lambda _: [
            make(prompt="supercalifragilistic" * 40, temperature=3, repetition_penalty=2)
        ],
        open_up=go_on,
        targets="textarea, summary",
    ),
    "GlassModel": Case(
        lambda _: glass(**growing(8, 2982)),
        lambda tokenizer: GlassModel(
            random_decoder(tokenizer.vocab_size),
            tokenizer,
            name=NAME,
            prompt="Donau\u202e €\x00",
            off=["0", "11.11"],
            hidden=[2],
            positions=False,
            temperature=9.9,
        ),
        *("place", 2),
        more=lambda _: [
            glass(selected="layers.1"),
            glass(selected="layers.3.heads.2", place=5),
            glass(selected="layers.1.attention.weights[2, 7, 5]", chapters="."),
            glass(selected="compare", other="a range(" * 20, patched=[1, 3]),
        ],
        open_up=computed,
        targets="textarea, summary",
        given=("weights", "seed"),
        far={
            "output": [5, 300],
            "off": ["0.3", "2"],
            "hidden": [1, 5],
            "selected": "layers.1.heads.2",
            "other": "a second text",
            "patched": [1, 3],
        },
    ),
    "GradientFlow": Case(
        lambda _: GradientFlow(),
        lambda _: GradientFlow(
            *([*LONG, NAME, "."], np.resize([10.0, -9.99, 0.125], (8, 4)), TEN, -TEN, TEN, 7),
            wanted=[-9.99, 10],
            features=[NAME, "", "b", "c"],
            view="backward",
            nudge=-1,
        ),
        *("nudge", 0.25),
        more=lambda _: [
            GradientFlow(view="numbers", matrix="weights", column=2),
            GradientFlow(["a"], [[1.0]], [[2.0]], [[3.0]], [[4.0]], 0, [0.5], target=0),
        ],
        axe_widths=(420, 900),
        far={"matrix": "w_k", "row": 2, "column": 0},
    ),
    "LogitLens": Case(
        lambda _: LogitLens(TOKENS, TOKENS[:5], SHARES, [1, 2, 3, 4, 1, None]),
        lambda _: LogitLens(
            [NAME] * 16,
            [NAME] * 9,
            np.eye(9)[np.arange(16 * 16).reshape(16, 16) % 9],
            [0] * 15 + [None],
            names=[f"{i:02}{NAME[2:]}" for i in range(16)],
        ),
        *("row", 1),
        more=lambda _: [
            LogitLens(["a"], ["b"], [[[1.0]]]),
            LogitLens(TOKENS, TOKENS[:5], SHARES, names=["bottom", "a", "b", "c", ""], row=4),
        ],
        far={"row": 3},
        given=("weights",),
    ),
    "LookupDial": Case(
        lambda _: LookupDial(),
        lambda _: LookupDial(
            *([[1.0, 0.0], [0.0, -1e4]], [[1e4, -1e4], [0.125, 0.0]], [NAME, "b"]),
            parts=[NAME, ""],
            unit=NAME,
        ),
        *("sharpness", 2),
        more=lambda _: [
            LookupDial([[1, 0], [0, 1], [-1, 0]] * 2, [[-1234.5, 9999, -0.25, 1]] * 6),
            LookupDial([[2.0, 1.0], [-0.5, 0.1]], [[1.0, -2.0], [0.25, 4.0]], hard=True),
        ],
        given=("vectors", "values"),
        far={"sharpness": 2.5},
    ),
    "ModelBuilder": Case(
        lambda _: ModelBuilder(),
        lambda _: ModelBuilder(
            "llama-3-8b", d_model=12_288, n_layers=96, vocab_size=300_000, length=32_768
        ),
        *("n_layers", 5),
        more=lambda _: [ModelBuilder("transformer-base"), ModelBuilder("small", d_model=64)],
        far={"d_model": 832, "vocab_size": 777, "length": 1000},
    ),
    "NormLab": Case(
        lambda _: NormLab(names=["thing", "quality", "pointer", "link"]),
        lambda _: NormLab(
            *([-4.0, 4.0] * 3, [NAME, ""] * 3),
            factor=2,
            shift=-4,
            gamma=[-2.0] * 6,
            beta=[-1.9] * 6,
        ),
        *("shift", 1.5),
        more=lambda _: [NormLab([2.0, 2.0], factor=0.25, shift=4), NormLab([0.0] * 5)],
        open_up=unfold_all,
        targets="summary",
        far={"gamma": [0.5, 1.0, -2.0, 0.0], "beta": [0.0, 1.9, -0.1, 0.0]},
    ),
    "PositionalWaves": Case(
        lambda _: PositionalWaves(),
        lambda _: PositionalWaves(128, 63, base=1e9, position=127, dimension=62),
        *("position", 7),
        more=lambda _: [
            PositionalWaves(position=5, view="fingerprint"),
            PositionalWaves(128, 64, 100000.0, 127, 63, view="matrix"),
            PositionalWaves(3, 3, view="similarity"),
        ],
        open_up=unfold_all,
        targets="summary",
        far={"dimension": 1, "other": 3},  # of the views that come later
    ),
    "RewardLab": Case(
        lambda _: RewardLab(),
        lambda _: RewardLab("99999999", ["99999999"] * 11 + ["00000000"]),
        *("rewards", "00000001"),
        more=lambda _: [RewardLab(rewards="00000000"), RewardLab("10", ["01", "10"])],
        targets="label.rw-row",
    ),
    "RotaryVectors": Case(
        lambda _: RotaryVectors(),
        lambda _: RotaryVectors([-99.999] * 16, [99.999] * 16, m=64, n=0, base=1e9),
        *("m", 9),
        more=lambda _: [RotaryVectors([-100.0] * 16, [100.0] * 16, m=64, n=64, pair=None)],
        open_up=unfold_all,
        targets="summary, .rv-handle",
        given=("base",),
        far={"query": [0.125] * 8, "key": [-99.5] * 8},
    ),
    "SamplerLab": Case(
        lambda _: SamplerLab(),
        lambda _: SamplerLab(
            *([1e4, -1e4, -np.inf] * 14, LONG * 7),
            counts=[1000] * 42,
            top_k=1,
            temperature=0,
            drawn=10_000,
            shown=40,
        ),
        *("temperature", 0.5),
        more=lambda _: [
            SamplerLab([1e4, 1e4, -1e4, -math.inf], [NAME, " the", "\n", ""], drawn=10_000),
            SamplerLab(MANY, repetition_penalty=1.4, top_k=40, top_p=0.95, drawn=150, shown=40),
        ],
        given=("logits", "counts"),
        far={
            "frequency_penalty": -1.1,
            "presence_penalty": 0.3,
            "repetition_penalty": 1.35,
            "top_p": 0.85,
            "min_p": 0.07,
        },
    ),
    "ScheduleLab": Case(
        lambda _: ScheduleLab(),
        lambda _: ScheduleLab(
            *("step",),
            peak=1.2345e-6,
            warmup=123_456,
            total=987_654,
            every=111_111,
            factor=0.987,
            step=654_321,
        ),
        *("peak", 0.01),
        more=lambda _: [
            ScheduleLab("inverse", warmup=0, step=0),
            ScheduleLab("constant", peak=1, total=2, warmup=1),
        ],
        far={"schedule": "step", "every": 130, "factor": 0.35, "floor": 0.25},
    ),
    "SharingLab": Case(
        lambda _: SharingLab(),
        lambda _: SharingLab("fsdp", parts=64, model="llama-2-7b"),
        *("parts", 16),
        more=lambda _: [
            SharingLab("one", model="gpt2-xl"),
            SharingLab("accumulate", parts=64, model="llama-2-7b"),
        ],
    ),
    "TemperatureLab": Case(
        lambda _: TemperatureLab(checkpoint="course-lm"),
        lambda _: TemperatureLab([1e4, -1e4, -np.inf] * 14, LONG * 7, drawn=1000, shown=40),
        *("temperature", 0.5),
        more=lambda _: [
            TemperatureLab(temperature=0, drawn=10),
            TemperatureLab(temperature=math.inf, drawn=200),
            TemperatureLab([1e4, 1e4, -1e4, -math.inf], [NAME, " the", "\n", ""], context=NAME),
            TemperatureLab(MANY, shown=40, drawn=10),
        ],
        open_up=told,
        targets="summary",
        given=("logits", "weights"),
        far={"seed": 3},
    ),
    "TrainingLab": Case(
        lambda _: TrainingLab(),
        lambda _: TrainingLab(own=WORD * 20, rate=1e-5, broken="rate"),
        *("rate", 0.001),
        more=lambda _: [TrainingLab("program", rate=0.0123, broken="mask")],
        open_up=look_inside,
        given=("engine", "glass", "texts"),
        far={"own": "your cat is a lovely cat. " * 5, "broken": "mask"},
    ),
    "TrainingRun": Case(
        lambda _: TrainingRun(letters()),
        lambda _: TrainingRun(long_run(NAME), snapshot=1),
        *("snapshot", 2),
        more=lambda _: [
            TrainingRun(History("empty")),
            TrainingRun(History("begun", [0, 1], [4.5, 4.0], [0.1, 0.2])),
        ],
        targets=".tr-sample",
        far={"snapshot": 4},
    ),
    "Translator": Case(
        lambda _: translator(donor="your dog is a lovely dog"),
        lambda _: Translator(
            random_translator(),
            f"{'y' * 60} Donau\u202e <b> {'y' * 60} €" + " a" * 16,
            num_beams=4,
            head=11,
            step=5,
            row=3,
            column=23,
        ),
        *("step", 3),
        more=lambda _: [
            translator("your parrot and the three small tables are lovely", num_beams=4, step=4),
            translator(""),
            translator("anna and marco", step=0, head=1),
            translator("the letter is red", donor="the book is red", patched=3),
        ],
        open_up=settled,
        targets="textarea",
        given=("weights",),
        far={"text": "the dog sees a cat", "rank": 1, "row": 2, "column": 0, "patched": 5},
    ),
}

every = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
"""Run a test once for each widget, with its `Case`."""
