"""Read and write `tokenizer.json`, the format of Hugging Face's `tokenizers`.

The file must hold a BPE model whose pre-tokenizer is "ByteLevel", "Split" by a pattern, or "Split"
followed by "ByteLevel", with merges stored as pairs or, as was usual until 2024, as strings with a
space. A normalizer, other pre-tokenizers, dropout, subword prefixes, byte fallback,
truncation and padding would change the ids, so they are refused, and so are patterns that mean
something else to `regex` (`oniguruma.py`). The post-processor is read if all it does is put one
token before a text, and is ignored otherwise, as is the decoder: `tokenizers` then gives the same
ids when it is called with `add_special_tokens=False`. All added tokens count as special tokens.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from plainformer.inputs.tokenization.byte_alphabet import bytes_to_unicode, unicode_to_bytes
from plainformer.inputs.tokenization.oniguruma import from_oniguruma, to_oniguruma
from plainformer.inputs.tokenization.pretokenize import GPT2_PATTERN

if TYPE_CHECKING:
    from plainformer.inputs.tokenization.bpe import BPETokenizer

__all__ = ["read_json", "read_tokenizer_json", "write_tokenizer_json"]

_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
_PLAIN_ADDED = {"single_word": False, "lstrip": False, "rstrip": False}
_PLAIN_MODEL = {
    "dropout": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
    "fuse_unk": False, "byte_fallback": False,
}  # fmt: skip


def write_tokenizer_json(tokenizer: BPETokenizer) -> str:
    """The text of a `tokenizer.json` for this tokenizer."""
    spelt: Any = bytes_to_unicode if tokenizer.byte_level else str
    vocab = {spelt(token): id_ for token, id_ in tokenizer.vocab.items()} | tokenizer.special_tokens
    by_id = sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])
    added = [
        {"id": id_, "content": token, **_PLAIN_ADDED, "normalized": False, "special": True}
        for token, id_ in by_id
    ]
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": _write_pre_tokenizer(tokenizer),
        "post_processor": _write_start(tokenizer),
        "decoder": _BYTE_LEVEL | {"use_regex": True} if tokenizer.byte_level else {"type": "Fuse"},
        "model": {
            "type": "BPE",
            **_PLAIN_MODEL,
            "unk_token": tokenizer.unk_token,
            "ignore_merges": tokenizer.ignore_merges,
            "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
            "merges": [[spelt(first), spelt(second)] for first, second in tokenizer.merges],
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def read_tokenizer_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `BPETokenizer` that a `tokenizer.json` describes."""
    content = read_json(path)
    model = _get(content, "model", dict)
    for part in ("normalizer", "truncation", "padding"):
        _refuse(content.get(part), f"a {part}" if part == "normalizer" else part)
    if model.get("type", "BPE") != "BPE":
        raise ValueError(f"the model must be BPE; got {model['type']!r}")
    for option in _PLAIN_MODEL:
        _refuse(model.get(option), f"the model's option {option}")
    pattern, byte_level, prefix_space = _read_pre_tokenizer(_get(content, "pre_tokenizer", dict))

    ids, special_tokens = _get(model, "vocab", dict), {}
    for added in _get(content, "added_tokens", list):
        token, id_ = _get(added, "content", str), _get(added, "id", int)
        for option in _PLAIN_ADDED:
            _refuse(added.get(option), f"the option {option} of {token!r}")
        special_tokens[token] = id_
        if ids.get(token, id_) != id_:
            raise ValueError(
                f"the file must give each token one id; got {id_} for {token!r} among the added "
                f"tokens and {ids[token]!r} in the vocabulary"
            )
    token_from: Any = unicode_to_bytes if byte_level else str
    merges = map(_read_merge, _get(model, "merges", list))
    return {
        "vocab": {token_from(t): id_ for t, id_ in ids.items() if t not in special_tokens},
        "merges": [(token_from(first), token_from(second)) for first, second in merges],
        "special_tokens": special_tokens,
        "pattern": pattern,
        "byte_level": byte_level,
        "unk_token": model.get("unk_token") or None,
        "ignore_merges": bool(model.get("ignore_merges")),
        "add_prefix_space": prefix_space,
        "bos_token": _read_start(content.get("post_processor"), special_tokens),
    }


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, or nested too deeply
        raise ValueError(f"the file must be complete JSON; got {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"the file must contain a JSON object; got {type(content).__name__}")
    return content


def _write_pre_tokenizer(tokenizer: BPETokenizer) -> dict[str, Any]:
    """The pre-tokenizer that splits by this tokenizer's pattern; GPT-2's is built in."""
    if tokenizer.byte_level and tokenizer.pattern == GPT2_PATTERN:
        space = {"add_prefix_space": tokenizer.add_prefix_space}
        return _BYTE_LEVEL | {"use_regex": True} | space
    if tokenizer.add_prefix_space:
        raise ValueError(
            "a tokenizer must be byte_level and have the pattern of GPT-2 to be saved with its "
            "prefix space, because tokenizers would put a space before each piece of any other"
        )
    pattern = {"Regex": to_oniguruma(tokenizer.pattern)}
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    if not tokenizer.byte_level:
        return split
    in_bytes = _BYTE_LEVEL | {"use_regex": False}
    return {"type": "Sequence", "pretokenizers": [split, in_bytes]}


def _write_start(tokenizer: BPETokenizer) -> dict[str, Any] | None:
    """The post-processor that puts the start token before a text, or before each of two."""
    token = tokenizer.bos_token
    if token is None:
        return None
    a, b = (
        [
            {"SpecialToken": {"id": token, "type_id": type_id}},
            {"Sequence": {"id": name, "type_id": type_id}},
        ]
        for type_id, name in enumerate("AB")
    )
    ids = {"id": token, "ids": [tokenizer.special_tokens[token]], "tokens": [token]}
    template = {"type": "TemplateProcessing", "special_tokens": {token: ids}}
    return template | {"single": a, "pair": a + b}


def _read_start(part: Any, special_tokens: Mapping[str, int]) -> str | None:
    """The token that a post-processor puts before a text, if that is all it does to the ids."""
    match part:
        case {"type": "Sequence", "processors": [*steps]}:  # ByteLevel changes only offsets
            rest = [step for step in steps if step.get("type") != "ByteLevel"]
            return _read_start(rest[0], special_tokens) if len(rest) == 1 else None
        case {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": str(name)}}, {"Sequence": {"id": "A"}}],
            "special_tokens": {**named},
        }:
            match named.get(name):
                case {"tokens": [str(token)]} if token in special_tokens:
                    return token
    return None


def _read_pre_tokenizer(part: dict[str, Any]) -> tuple[str, bool, bool]:
    """The pattern it splits by, whether it converts text to bytes, and whether it adds a space."""
    in_turn = part.get("type") == "Sequence"
    steps = _get(part, "pretokenizers", list) if in_turn else [part]
    last = steps[-1] if steps else {}
    match [_get(step, "type", str) for step in steps]:
        case ["ByteLevel"] if last.get("use_regex", True):
            return GPT2_PATTERN, True, bool(last.get("add_prefix_space"))
        case ["Split", "ByteLevel"] if not last.get("use_regex", True):
            # It would put a space before every piece instead of before the text.
            _refuse(last.get("add_prefix_space"), "a prefix space after a Split")
            return _read_split(steps[0]), True, False
        case ["Split"]:
            return _read_split(last), False, False
        case kinds:
            raise ValueError(
                f"the pre-tokenizer must be ByteLevel, Split, or Split and then ByteLevel without "
                f"its own pattern; got {kinds}"
            )


def _read_split(step: dict[str, Any]) -> str:
    """The pattern of a Split, which is a regular expression or a string to be matched literally."""
    _refuse(step.get("invert"), "an inverted Split")
    if step.get("behavior") != "Isolated":
        got = step.get("behavior")
        raise ValueError(f"the file must have a Split that is Isolated; got {got!r}")
    pattern = _get(step, "pattern", dict)
    if "String" in pattern:
        return str(regex.escape(_get(pattern, "String", str)))
    return from_oniguruma(_get(pattern, "Regex", str))


def _read_merge(merge: Any) -> list[str]:
    """A merge as a pair; it is ["a", "b"] in current files and "a b" in older ones."""
    pair = merge.split(" ") if isinstance(merge, str) else merge
    if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, str) for x in pair)):
        raise ValueError(f"the file must have pairs of tokens for merges; got {merge!r}")
    return pair


def _get(part: Any, key: str, kind: type) -> Any:
    """Return part[key], which must have the right type."""
    value = part.get(key) if isinstance(part, dict) else None
    if not isinstance(value, kind):
        raise ValueError(f"the file must have {key!r}, of type {kind.__name__}; got {value!r:.60}")
    return value


def _refuse(option: Any, what: str) -> None:
    if option:
        raise ValueError(f"the file must not use {what}, which is unsupported; got {option!r}")
