"""What a widget refuses that no law of all widgets implies: arguments that do not fit others.

`test_every_widget_refuses.py` tries odd values on every trait. Here are arguments that are no
traits, shapes, and values that only another argument makes wrong. Each of them is refused when the
widget is made and, where it is a trait, when it is set, which then changes nothing.
"""

import inspect
import json
import math
from typing import Any

import numpy as np
import pytest
import torch
from tests.widgets.attention_maps import HEADS
from tests.widgets.cases import Case, K, Q, V, every
from tests.widgets.generate_box import make
from tests.widgets.glass import glass
from tests.widgets.test_every_widget_refuses import arguments
from tests.widgets.translators import translator

import plainformer.widgets
from plainformer.attention.example import TOKENS, W_K, W_V, X
from plainformer.decoding.search.beam import beam_search
from plainformer.decoding.search.tree import SearchTree
from plainformer.inputs import BPETokenizer
from plainformer.training import History
from plainformer.widgets.beam_tree import example

ONES = np.ones((2, 3))
EYE = np.eye(2)
OFF = HEADS.copy()
OFF[1, 3] *= 1.2
ROWS = np.random.default_rng(3).normal(size=(5, 4))
SHARES = np.full((3, 4, 7), 1 / 7)
TREE = beam_search(example.logits, example.PROMPT, num_beams=2, max_new_tokens=5, eos_token_id=5)

# The arguments that a wrong one is put among.
FITTING: dict[str, dict[str, Any]] = {
    "AttentionMap": {"tokens": TOKENS, "weights": HEADS},
    "AttentionStepper": {"q": ONES, "k": ONES, "v": ONES},
    "BeamTree": {"tree": TREE},
    "BlockSweep": {"q": Q, "k": K, "v": V},
    "CacheGrowth": {"tokens": TOKENS},
    "EmbeddingLookup": {"tokens": TOKENS, "table": ROWS},
    "LogitLens": {"tokens": [*"abcd"], "words": [*"abcdefg"], "probabilities": SHARES},
    "LookupDial": {"keys": EYE, "values": [1, 2]},
    "SamplerLab": {"logits": [1, 2], "words": ["a", "b"]},
    "TemperatureLab": {"logits": [1, 2], "words": ["a", "b"]},
    "TrainingRun": {"history": History("")},
}
MAKE: dict[str, Any] = {"GenerateBox": make, "GlassModel": glass, "Translator": translator}

WRONG: dict[str, list[tuple[dict[str, Any], str]]] = {
    "AttentionMap": [
        ({"tokens": []}, "tokens must have 1 to 64 entries; got 0"),
        ({"tokens": ["a"] * 65}, "tokens must have 1 to 64 entries; got 65"),
        ({"tokens": TOKENS[:5]}, r"shape \(5, 5\), \(H, 5, 5\) or \(L, H, 5, 5\).*6, 6\)"),
        ({"keys": list("abc")}, r"shape \(6, 3\), \(H, 6, 3\) or .*got \(2, 6, 6\)"),
        ({"weights": HEADS[0, 0]}, r"got \(6,\)"),
        ({"weights": HEADS[None, None, None]}, r"got \(1, 1, 1, 2, 6, 6\)"),
        ({"weights": HEADS[None, :, None]}, "of one text; got those of 2 for each layer"),
        ({"weights": [[1, 2], [3]]}, "weights must be a rectangular array"),
        ({"weights": HEADS * 1j}, "weights must be real numbers"),
        ({"weights": HEADS * np.nan}, r"finite; got nan at \[0, 0, 0, 0\]"),
        ({"weights": HEADS - 0.04}, r"0 or more; got -0\.0\d+ at \[0, 0, 0, 0\]"),
        ({"weights": OFF}, r"must sum to 1; row \[0, 1, 3\] sums to 1\.2$"),
        ({"weights": HEADS.swapaxes(1, 2)}, "its columns do: was the softmax taken over t"),
        ({"weights": np.tile(HEADS, (12, 7, 1, 1))}, "144 maps, .*; got 12 × 14: choose"),
        ({"weights": np.zeros((0, 6, 6))}, "1 to 144 maps, layers times heads; got 1 × 0"),
        ({"weights": [torch.ones(1, 6, 6), torch.ones(2, 6, 6)]}, "one shape for all lay"),
        ({"padding": [True]}, "padding must have 6 entries, one a key; got 1"),
        ({"padding": [1] * 6}, "padding must be a list of True"),
        ({"d_head": 0}, "d_head must be 1 or more; got 0"),
        ({"names": ["one"]}, r"names must name each of the 2 heads; got \['one'\]"),
        ({"text": "a cat"}, "text needs a model and its tokenizer"),
        ({"text": "a" * 201}, "text must have at most 200 characters; got 201"),
        ({"scaled": False}, "scaled=False needs d_head"),
    ],
    "AttentionStepper": [
        ({"q": None}, "q, k and v must be given together; got no q"),
        ({"k": None, "v": None}, "got no k and no v"),
        ({"q": np.ones((9, 3))}, r"q must have 1 to 8 rows of 1 to 4 numbers; got shape"),
        ({"v": np.ones((2, 5))}, r"v must have 1 to 8 rows .* got shape \(2, 5\)"),
        ({"k": np.ones(3)}, r"k must have 1 to 8 rows .* got shape \(3,\)"),
        ({"k": np.ones((2, 2))}, "q and k must be of one width; got 3 and 2 columns"),
        ({"v": np.ones((4, 3))}, "v must have a row for each of 2 keys; got 4"),
        ({"q": ONES * 101}, "q must hold numbers from -100 to 100; got 101"),
        ({"tokens": ["a"]}, "tokens must have 2 entries, one for each token; got 1"),
        ({"keys": ["a"]}, "keys must have 2 entries, one for each key; got 1"),
        ({"q": np.ones((3, 3)), "causal": True}, "causal needs a key for every query, its"),
        ({"step": 9}, "step must be from"),
        ({"query": 2}, "query must be from 0 to 1"),
    ],
    "BeamTree": [
        ({"tree": [TREE, TREE]}, "tree must be one SearchTree; got a list of 2"),
        ({"tree": "cat"}, "tree must be a SearchTree, as beam_search returns it; got str"),
        ({"tree": SearchTree((0,), 2, TREE.nodes[:1], ())}, "tree must have 1 to 24 steps; got 0"),
        ({"tree": SearchTree((0,), 9, TREE.nodes, ())}, "tree must have 1 to 8 beams; got 9"),
        ({"words": ["a"], "decode": str}, "words or decode must be given, not both"),
        ({"words": ["a"]}, "words must have a string for id 1; it has 1"),
        ({"words": range(6)}, r"words must be a list of strings; words\[0\] is 0"),
        ({"words": ["y" * 201] * 6}, "words must be at most 200 characters long each"),
        ({"decode": len}, "decode must return a string; got 3"),
        ({"decode": 5}, "decode must be a function of a list of ids; got 5"),
        ({"greedy": "cat"}, "greedy must be token ids; got .cat."),
        ({"greedy": [5, 4]}, "greedy must be the prompt of tree and one or more tokens"),
        ({"greedy": [0, 1, 2]}, "greedy must be the prompt of tree and one or more"),
        ({"greedy_score": 0.5}, "greedy_score must be 0 or below, a sum of log.*got 0.5"),
        ({"greedy_score": "low"}, "greedy_score must be a number"),
        ({"length_norm": "words"}, "length_norm must be 'generated', 'whole' or 'gnmt'"),
    ],
    "BlockFlow": [
        ({"on": [True]}, "on must have 4 entries, one for each sublayer; got 1"),
        ({"on": [1, 1, 1, 1]}, "each of on must be True or False; got 1"),
    ],
    "BlockSweep": [
        ({"q": Q[0]}, r"q must have two axes, rows and columns; got shape \(2,\)"),
        ({"q": "cat"}, "q must be an array of numbers; got str"),
        ({"q": Q * np.nan}, "scores must be finite numbers below 1,000,000 in size; got nan"),
        ({"v": V * 1e9}, "v must be finite numbers below 1,000,000 in size; got -2e"),
        ({"v": V[:5]}, "v must have one row for each row of k"),
        ({"q": np.ones((17, 2))}, "q must be 1 to 16 rows; got 17"),
        ({"v": np.ones((6, 5))}, "the columns of v must be 1 to 4 in number; got 5"),
        ({"q": np.ones((7, 2)), "causal": True}, "causal needs as many keys.*T = 7, S = 6"),
        ({"tokens": ["cat"]}, "tokens must have 6 entries, one for each key; got 1"),
    ],
    "CacheGrowth": [
        ({"tokens": []}, "tokens must have 1 to 12 entries; got 0"),
        ({"d_model": 63}, "d_model must be a multiple of the 8 heads; got 63"),
        ({"n_heads": 0}, "n_heads must be from 1 to 16,384; got 0"),
        ({"n_kv_heads": 3}, "n_kv_heads must divide the 8 heads; got 3"),
        ({"step": 7}, "step must be from 0 to 6; got 7"),
        ({"history": [2]}, "one more than the last .* or less .*; got 2 after 0"),
        ({"history": [1, 2, 2]}, "got 2 after 2"),
        ({"history": [1, -1]}, "every length must be from 0 to 6; got -1"),
        ({"history": [1, 0] * 101}, "history must have at most 200 entries; got 202"),
    ],
    "EmbeddingLookup": [
        ({"tokens": []}, "tokens must have 1 to 16 entries; got 0"),
        ({"tokens": ["dog"], "vocabulary": list("abcde")}, "'dog' is not"),
        ({"vocabulary": [*TOKENS[1:], "your", "a"]}, "vocabulary must have each token onc"),
        ({"vocabulary": [str(i) for i in range(17)]}, "vocabulary must have 1 to 16"),
        ({"table": ROWS[:4]}, r"table must have shape \(5, .*; got \(4, 4\)"),
        ({"table": np.zeros((5, 9))}, r"got \(5, 9\)"),
        ({"table": ROWS[0]}, r"got \(4,\)"),
        ({"table": ROWS * np.nan}, "table must hold finite numbers"),
        ({"table": ROWS * 1e200}, "table must hold numbers below 1,000,000 in size; got"),
        ({"column": 4}, "column must be from 0 to 3"),
        ({"place": 6}, "place must be from 0 to 5"),
    ],
    "FeedForwardLab": [
        ({"w_up": EYE}, "w_up and w_down must be given together"),
        ({"w_up": np.ones((3, 2)), "w_down": EYE}, r"w_up must have shape \(2, 1 to 6\)"),
        ({"w_up": np.ones((2, 7)), "w_down": EYE}, r"w_up must have shape \(2, 1 to 6\)"),
        ({"w_up": EYE, "w_down": np.ones((2, 3))}, r"w_down must have shape \(2, 2\)"),
        ({"b_up": [1, 2]}, r"b_up must have shape \(3,\); got \(2,\)"),
        ({"b_up": [1, 2, np.nan]}, "b_up must hold numbers from -1,000 to 1,000"),
        ({"units": ["a"]}, "units must have 3 entries, one for each unit"),
        ({"features": ["a"]}, "features must have 2 entries"),
        ({"points": {"cat": (2, 9)}}, "x must lie from -1 to 4"),
        ({"points": {str(i): (0, 0) for i in range(13)}}, "points must have 0 to 12 entries"),
        ({"x": (1, 2, 3)}, r"x must have shape \(2,\)"),
        ({"x": (5, 0)}, "x must lie from -1 to 4"),
        ({"span": (1, 0)}, "span must be two numbers, the first smaller"),
        ({"span": 4}, "span must be two numbers"),
    ],
    "GenerateBox": [
        ({"prompt": ""}, "prompt must have 1 to 2,000 characters; got none, and a mod"),
        ({"prompt": "x" * 2001}, "prompt must have 1 to 2,000 characters; got 2,001"),
        ({"prompt": "x\ud83d"}, "lone surrogate"),
        ({"top_p": 0}, "top_p must be above 0, and 1 at most, or None; got 0"),
        ({"eos_token_id": 1024}, "eos_token_id must be from 0 to 1,?023 or None; got 1,?024"),
    ],
    "GlassModel": [
        ({"prompt": "x" * 1001}, "at most 1,000 characters; got 1,001"),
        ({"off": ["4"]}, 'each of off must be a layer from "0" to "3"'),
        ({"off": ["0.4"]}, "each of off must be a layer"),
        ({"hidden": [128]}, "each of hidden must be from 0 to 127; got 128"),
        ({"selected": "layers.4"}, 'selected must be ""'),
        ({"selected": "constructor[0, 0]"}, 'selected must be ""'),
    ],
    "GradientFlow": [
        ({"tokens": list("abcdefghi")}, "tokens must have 1 to 8 entries; got 9"),
        ({"x": X[:5]}, r"x must have shape \(6, 1 to 4\); got \(5, 4\)"),
        ({"x": X * np.nan}, "x must hold numbers from -10 to 10; got others"),
        ({"x": X * 100}, "x must hold numbers from -10 to 10"),
        ({"w_q": np.ones((4, 3))}, r"w_q must have shape \(4, 1 to 2\); got \(4, 3\)"),
        ({"w_k": W_K[:, :1]}, r"w_k must have shape \(4, 2\); got \(4, 1\)"),
        ({"w_v": W_V[:3]}, r"w_v must have shape \(4, 1 to 2\); got \(3, 2\)"),
        ({"w_v": "cat"}, "w_v must be an array of numbers; got str"),
        ({"query": 6}, "query must be from 0 to 5; got 6"),
        ({"wanted": [1]}, r"wanted must have shape \(2,\).*; got \(1,\)"),
        ({"wanted": [1, np.inf]}, "wanted must hold numbers from -10 to 10"),
        ({"features": ["a"]}, "features must have 4 entries, one for each column of x"),
    ],
    "LogitLens": [
        ({"tokens": []}, "tokens must have 1 to 16 entries; got 0"),
        ({"words": [*"abcdef"]}, r"shape \(L, 4, 6\), L from 1 to 16; got \(3, 4, 7\)"),
        ({"probabilities": SHARES[0]}, r"L from 1 to 16; got \(4, 7\)"),
        ({"probabilities": -SHARES}, "probabilities must be 0 or more; got -0"),
        ({"probabilities": SHARES * np.nan}, "probabilities must be 0 or more; got nan"),
        ({"probabilities": SHARES / 2}, "each cell must sum to 1; got 0.5"),
        ({"wanted": [1]}, "wanted must have 4 entries, one for each token; got 1"),
        ({"wanted": [1, 2, 3, 7]}, "each of wanted must be from 0 to 6 or None; got 7"),
        ({"names": ["a"]}, "names must have 3 entries, one for each depth; got 1"),
    ],
    "LookupDial": [
        ({"keys": [[1, 0, 0], [0, 1, 0]]}, r"keys must have shape \(2 to 8, 2\); got"),
        ({"keys": [[1, 0]]}, r"keys must have shape \(2 to 8, 2\); got \(1, 2\)"),
        ({"keys": [[0, 0], [0, 0]]}, "keys must not all be zero"),
        ({"values": [1, 2, 3]}, r"values must have shape \(2, 1 to 4\); got \(3, 1\)"),
        ({"values": None}, "values must be given with keys"),
        ({"values": [1, np.nan]}, "values must hold numbers from -10,000 to 10,000; got n"),
        ({"labels": ["a"]}, "labels must have 2 entries, one for each key; got 1"),
        ({"parts": ["a", "b"]}, "parts must have 1 entry, one for each number of a value"),
        ({"unit": "\ud83d"}, "unit must be whole characters; got half of one"),
        ({"unit": 5}, "unit must be a string; got 5"),
    ],
    "ModelBuilder": [
        ({"preset": "gpt3"}, "preset must be"),
        ({"d_model": 100}, "d_model must be a multiple of 64; got 100"),
    ],
    "NormLab": [
        ({"x": [1]}, r"x must have shape \(2 to 6,\); got \(1,\)"),
        ({"x": np.ones(7)}, r"x must have shape \(2 to 6,\); got \(7,\)"),
        ({"x": [1, 5]}, "x must lie from -4 to 4"),
        ({"names": ["a"]}, "names must have 4 entries, one for each feature"),
        ({"eps": 0}, "eps must be above 0, and 1 at most; got 0"),
        ({"gamma": [1, 2]}, r"gamma must have shape \(4,\); got \(2,\)"),
        ({"beta": [0, 0, 0, 3]}, "beta must lie from -2 to 2"),
    ],
    "RewardLab": [
        ({"prompt": "41"}, "prompt and answers must be given together"),
        ({"prompt": "4x", "answers": ["14", "41"]}, "prompt must consist of digits"),
        ({"prompt": "41", "answers": ["14"]}, "answers must have 2 to 12 entries; got 1"),
        ({"prompt": "41", "answers": ["14", "1"]}, "as many digits as the prompt"),
        ({"rewards": "11"}, "rewards must have 8 characters; got 2"),
        ({"rewards": "1110201x"}, "rewards must be a string of 0 and 1"),
    ],
    "RotaryVectors": [
        ({"query": [True] * 8}, "query must hold numbers; got True"),
        ({"query": [[1.0, 2.0]] * 4}, r"query must hold numbers; got \[1.0, 2.0\]"),
        ({"query": [1.0]}, "query must hold 2, 4, … or 16 numbers; got 1"),
        ({"key": [1.0] * 7}, "key must hold 2, 4, … or 16 numbers; got 7"),
        ({"key": [1.0] * 18}, "key must hold 2, 4, … or 16 numbers; got 18"),
        ({"key": [1.0] * 4}, r"key must hold as many numbers as query \(8\); got 4"),
        ({"key": [math.nan] * 8}, "key must hold numbers from -100 to 100; got nan"),
        ({"query": [10**400] * 8}, "query must hold numbers from -100 to 100; got 1"),
    ],
    "SamplerLab": [
        ({"words": ["a"]}, "words must have 2 entries, one for each token; got 1"),
        ({"counts": [1]}, r"counts must have shape \(2,\), as logits have; got \(1,\)"),
        ({"counts": [1, 0.5]}, "counts must be whole numbers; got an array of float64"),
        ({"counts": [1, -1]}, "counts must be from 0 to 1000; got -1"),
        ({"shown": 41}, "shown must be from 1 to 40; got 41"),
        ({"top_p": 0}, "top_p must be above 0, and 1 at most, or None; got 0"),
        ({"order": ["top_k"]}, "order must have each of penalties, .*min_p once; got"),
        ({"order": ["top_k"] * 5}, "order must have each of penalties, .*min_p once; got"),
    ],
    "SharingLab": [({"parts": 3}, "parts must divide the 64 texts of a step; got 3")],
    "TemperatureLab": [
        ({"logits": [[1.0, 2.0]]}, r"logits must have shape \(V,\), V from 1 to 3000; got"),
        ({"logits": []}, r"logits must have shape \(V,\), V from 1 to 3000; got \(0,\)"),
        ({"logits": np.zeros(3001)}, r"V from 1 to 3000; got \(3001,\)"),
        ({"logits": [1, math.nan]}, r"logits\[1\] must be finite or -inf; got nan"),
        ({"logits": [-math.inf] * 2}, "must leave at least one token possible"),
        ({"logits": [1, 2e4]}, "logits must be -inf or from -10,000 to 10,000; got 20000"),
        ({"words": ["a"]}, "words must have 2 entries, one for each token; got 1"),
        ({"temperature": 0.001}, "temperature must be 0, or from 0.01 to 100; got 0.001"),
        ({"checkpoint": "mine"}, "checkpoint must be 'course-lm' or None; got 'mine'"),
        ({"context": "\ud83d"}, "context must be whole characters; got half of one"),
        ({"context": 5}, "context must be a string; got 5"),
        ({"shown": 0}, "shown must be from 1 to 40; got 0"),
    ],
    "TrainingLab": [({"own": "y" * 5001}, "own must have at most 5,000 characters; got 5,001")],
    "TrainingRun": [
        ({"every": 0}, "every must be from 1 to 1,000,000; got 0"),
        ({"history": {}}, "history must be a History; got dict"),
        ({"snapshot": 1}, "snapshot must be from 0 to 0; got 1"),
    ],
    "Translator": [
        ({"text": "a" * 201}, "^text must have at most 200 characters; got 201"),
        ({"text": "a " * 25}, "^text must have at most 24 words; got 25"),
        ({"text": "\ud800"}, "^text cannot be read: "),
        ({"donor": "a cat"}, "^donor must have 6 words, like the text; got 2"),
        ({"donor": 3}, "^donor must be a str or None; got int"),
        ({"patched": 0}, "^patched needs a donor, which the vector is taken from; got 0"),
        ({"text": "red", "donor": "new", "patched": 1}, "^patched must be from 0 to 0 or None"),
    ],
}
LISTS = {
    "tokens", "keys", "labels", "parts", "names", "words", "units", "features", "vocabulary",
}  # fmt: skip
EACH = [(name, options, said) for name, rows in WRONG.items() for options, said in rows]


@pytest.mark.parametrize(("name", "options", "said"), EACH)
def test_what_does_not_fit_is_named_and_changes_nothing(
    name: str, options: dict[str, Any], said: str
) -> None:
    fitting = FITTING.get(name, {})
    new = MAKE.get(name, getattr(plainformer.widgets, name))
    if not (name == "CacheGrowth" and "history" in options):  # which is no argument
        with pytest.raises((TypeError, ValueError), match=said):
            new(**fitting | options)
    widget = new(**fitting)
    ((trait, value), *more) = options.items()
    if trait in widget.state() and not more and trait != "data":
        before = json.dumps(widget.state())
        with pytest.raises((TypeError, ValueError)):
            setattr(widget, trait, value)
        assert json.dumps(widget.state()) == before


@every
def test_one_string_is_no_list_of_strings(case: Case, tokenizer: BPETokenizer) -> None:
    """Python would take its letters for the strings."""
    kind = type(case.usual(tokenizer))
    needed = arguments(kind, tokenizer) | FITTING.get(kind.__name__, {})
    for name in LISTS & inspect.signature(kind.__init__).parameters.keys():
        with pytest.raises(TypeError, match=rf"^{name} must be "):
            kind(**needed | {name: "ab"})
