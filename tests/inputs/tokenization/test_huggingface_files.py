"""`tokenizer.json`: written for `tokenizers`, read from it, refused when broken, saved whole."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from tests.awkward import AWKWARD
from tests.inputs.tokenization.peers import (
    hf_train,
    mixed_texts,
)
from tokenizers import Tokenizer as HFTokenizer

from plainformer.inputs.tokenization import BPETokenizer

TEXT = "your cat is a lovely cat, isn't it? Don't you think it's the loveliest of cats! 猫 " * 3
SPECIAL = ["<unk>", "<|endoftext|>"]
GPT4_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)

KINDS: dict[str, dict[str, Any]] = {
    "gpt2 pattern": {},
    "special tokens": {"special_tokens": SPECIAL},
    "prefix space": {"special_tokens": SPECIAL, "add_prefix_space": True},
    "start token": {"special_tokens": SPECIAL, "bos_token": "<|endoftext|>"},
    "gpt4 pattern": {"special_tokens": SPECIAL, "pattern": GPT4_PATTERN},
    "pattern with gaps": {"pattern": "[a-z]+"},
    "characters": {"special_tokens": SPECIAL, "byte_level": False},
    "characters, no <unk>": {"byte_level": False, "pattern": r"\S+|\s+"},
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


@pytest.fixture
def ours(options: dict[str, Any]) -> BPETokenizer:
    return BPETokenizer.train(TEXT, 300, **options)


def texts_for(tokenizer: BPETokenizer) -> list[str]:
    """What it can encode."""
    if tokenizer.byte_level or tokenizer.unk_token:
        return [TEXT, *AWKWARD]
    return [TEXT, TEXT[::-1]]


def same_tokenizer(a: BPETokenizer, b: BPETokenizer) -> bool:
    names = (
        "vocab", "merges", "special_tokens", "pattern", "byte_level", "unk_token",
        "add_prefix_space", "bos_token",
    )  # fmt: skip
    return all(getattr(a, name) == getattr(b, name) for name in names)


# Hugging Face


def test_tokenizers_reads_what_we_save(tmp_path: Path, ours: BPETokenizer) -> None:
    path = tmp_path / "tokenizer.json"
    ours.save(path)
    theirs = HFTokenizer.from_file(str(path))
    assert theirs.get_vocab_size() == ours.vocab_size
    for text in texts_for(ours):
        ids = ours.encode(text, allowed_special="all")
        assert theirs.encode(text).ids == ids
        for skip in (False, True):
            ours_again = ours.decode(ids, skip_special_tokens=skip)
            assert theirs.decode(ids, skip_special_tokens=skip) == ours_again
        bare = ours.encode(text, allowed_special="all", add_special_tokens=False)
        assert theirs.encode(text, add_special_tokens=False).ids == bare
    marked = "<|endoftext|>".join([TEXT, TEXT])
    if ours.special_tokens:
        ids = ours.encode(marked, allowed_special="all")
        assert theirs.encode(marked).ids == ids
        assert theirs.token_to_id("<|endoftext|>") in ids


def test_we_read_what_we_save(tmp_path: Path, ours: BPETokenizer) -> None:
    path = tmp_path / "tokenizer.json"
    ours.save(path)
    assert same_tokenizer(BPETokenizer.load(path), ours)
    assert BPETokenizer.load(str(path)).merge_counts == []


@pytest.mark.parametrize("merges_as", ["pairs", "strings"])
def test_we_read_what_tokenizers_saves(
    tmp_path: Path, options: dict[str, Any], ours: BPETokenizer, merges_as: str
) -> None:
    path = tmp_path / "tokenizer.json"
    theirs = hf_train([TEXT], 300, **options)
    theirs.save(str(path))
    if merges_as == "strings":  # as they were until 2024
        content = json.loads(path.read_text())
        content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
        if any(merge.count(" ") != 1 for merge in content["model"]["merges"]):
            # a token with a space cannot be written so
            path.write_text(json.dumps(content))
            with pytest.raises(ValueError, match="must have pairs of tokens for merges"):
                BPETokenizer.load(path)
            return
        path.write_text(json.dumps(content))
    read = BPETokenizer.load(path)
    assert same_tokenizer(read, ours)
    for text in texts_for(ours):
        assert read.encode(text, allowed_special="all") == theirs.encode(text).ids


def test_a_prefix_space_that_the_format_cannot_express_is_refused(tmp_path: Path) -> None:
    for options in ({"pattern": "[a-z]+"}, {"byte_level": False}):
        tokenizer = BPETokenizer.train(TEXT, 300, add_prefix_space=True, **options)  # type: ignore[arg-type]
        assert tokenizer.tokens("a cat")[0].startswith(" ")
        with pytest.raises(ValueError, match="have the pattern of GPT-2 to be saved"):
            tokenizer.save(tmp_path / "tokenizer.json")
        assert not (tmp_path / "tokenizer.json").exists()


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_bos_token_is_read_as_tokenizers_reads_it(tmp_path: Path, wrapped: bool) -> None:
    """In a template by itself, as Llama 2 has it, or after ByteLevel, as Llama 3 has it."""
    path = tmp_path / "tokenizer.json"
    BPETokenizer.train(TEXT, 300, special_tokens=["<s>"], bos_token="<s>").save(path)
    content = json.loads(path.read_text())
    template = content["post_processor"]
    template["special_tokens"] = {"begin": template["special_tokens"]["<s>"] | {"id": "begin"}}
    for part in ("single", "pair"):
        for piece in template[part]:
            if "SpecialToken" in piece:
                piece["SpecialToken"]["id"] = "begin"  # a name in the template, and not a token
    level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}
    if wrapped:
        content["post_processor"] = {"type": "Sequence", "processors": [level, template]}
    path.write_text(json.dumps(content))
    ours, theirs = BPETokenizer.load(path), HFTokenizer.from_file(str(path))
    assert ours.encode("a cat") == theirs.encode("a cat").ids
    assert ours.bos_token == "<s>"


def test_a_prefix_space_is_read_inside_of_a_sequence(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    BPETokenizer.train(TEXT, 300, add_prefix_space=True).save(path)
    content = json.loads(path.read_text())
    part = content["pre_tokenizer"]
    content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [part]}
    path.write_text(json.dumps(content))
    ours, theirs = BPETokenizer.load(path), HFTokenizer.from_file(str(path))
    assert ours.encode("cat") == theirs.encode("cat").ids == BPETokenizer.load(path).encode(" cat")


def test_special_tokens_are_skipped_whoever_the_ids_are_from() -> None:
    tokenizer = BPETokenizer.train(TEXT, 300, special_tokens=["<s>"], bos_token="<s>")
    ids = tokenizer.encode("a cat")
    for each in (ids, np.array(ids), torch.tensor(ids)):
        assert tokenizer.decode(each, skip_special_tokens=True) == "a cat"


def test_a_bos_token_is_a_special_token() -> None:
    with pytest.raises(ValueError, match="bos_token must be one of special_tokens; got '<s>'"):
        BPETokenizer.train(TEXT, 300, bos_token="<s>")


@given(text=mixed_texts)
def test_any_tokenizer_survives_a_file(tmp_path_factory: Any, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "tokenizer.json"
    for byte_level in (True, False):
        tokenizer = BPETokenizer.train(text, 280, byte_level=byte_level)
        tokenizer.save(path)
        assert same_tokenizer(BPETokenizer.load(path), tokenizer)
        assert HFTokenizer.from_file(str(path)).encode(text).ids == tokenizer.encode(text)


def test_whole_pieces_before_merges(tmp_path: Path) -> None:
    # Llama 3 and tiktoken: "abc" is a token though no merge makes it.
    vocab = {"a": 0, "b": 1, "c": 2, "abc": 3}
    path = tmp_path / "tokenizer.json"
    for ignore_merges, ids in [(True, [3]), (False, [0, 1, 2])]:
        tokenizer = BPETokenizer(vocab, [], byte_level=False, ignore_merges=ignore_merges)
        tokenizer.save(path)
        assert tokenizer.encode("abc") == ids
        assert BPETokenizer.load(path).encode("abc") == ids
        assert HFTokenizer.from_file(str(path)).encode("abc").ids == ids


def edit(change: Callable[[dict[str, Any]], object]) -> str:
    """A whole file with one thing changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        BPETokenizer.train(TEXT, 260, special_tokens=["<s>"]).save(path)
        content = json.loads(path.read_text())
    change(content)
    return json.dumps(content)


SPLIT = {"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": False}
SPACE_BEFORE_PIECES = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": False}
BROKEN: dict[str, tuple[str, str]] = {
    "empty": ("", "must be complete JSON"),
    "truncated": (edit(lambda c: None)[:3000], "must be complete JSON"),
    "not an object": ("[1, 2]", "must contain a JSON object; got list"),
    "no model": (edit(lambda c: c.pop("model")), "must have 'model', of type dict; got None"),
    "no vocab": (edit(lambda c: c["model"].pop("vocab")), "must have 'vocab'"),
    "no merges": (edit(lambda c: c["model"].pop("merges")), "must have 'merges'"),
    "no added tokens": (edit(lambda c: c.pop("added_tokens")), "must have 'added_tokens'"),
    "an id of 71 bits": (
        edit(lambda c: c["added_tokens"].append({"id": 2**70, "content": "<new>"})),
        r"from 0 to 2\*\*32 - 1; got 1180591620717411303424",
    ),
    "no id": (edit(lambda c: c["added_tokens"][0].pop("id")), "must have 'id', of type int"),
    "other model": (edit(lambda c: c["model"].update(type="Unigram")), "BPE; got 'Unigram'"),
    "id twice": (edit(lambda c: c["model"]["vocab"].update({"!!": 5})), "got 5 for both"),
    "id no number": (edit(lambda c: c["model"]["vocab"].update({"!!": "5"})), "got '5' for"),
    "not bytes": (
        edit(lambda c: c["model"]["vocab"].update({"▁x": 999})),
        "not written in the byte",
    ),
    "merge of three": (
        edit(lambda c: c["model"]["merges"].append(["a", "b", "c"])),
        "must have pairs of tokens for merges",
    ),
    "merge unknown": (edit(lambda c: c["model"]["merges"].append("q q")), "no b'qq' in it"),
    "normalizer": (edit(lambda c: c.update(normalizer={"type": "NFC"})), "use a normalizer"),
    "truncation": (edit(lambda c: c.update(truncation={"max_length": 9})), "use truncation"),
    "padding": (edit(lambda c: c.update(padding={"strategy": "BatchLongest"})), "use padding"),
    "two ids": (
        edit(lambda c: c["model"]["vocab"].update({"<s>": 7})),
        "got 0 for '<s>' among the added tokens and 7 in the vocabulary",
    ),
    "brackets without end": ("[" * 100_000, "complete JSON"),
    "no pre-tokenizer": (edit(lambda c: c.update(pre_tokenizer=None)), "have 'pre_tokenizer'"),
    "other pre-tokenizer": (
        edit(lambda c: c.update(pre_tokenizer={"type": "Whitespace"})),
        r"must be ByteLevel, Split, or .* got \['Whitespace'\]",
    ),
    "prefix space": (
        edit(
            lambda c: c.update(
                pre_tokenizer={"type": "Sequence", "pretokenizers": [SPLIT, SPACE_BEFORE_PIECES]}
            )
        ),
        "use a prefix space after a Split",
    ),
    "removing split": (
        edit(lambda c: c.update(pre_tokenizer=SPLIT | {"behavior": "Removed"})),
        "Split that is Isolated; got 'Removed'",
    ),
    "byte fallback": (edit(lambda c: c["model"].update(byte_fallback=True)), "byte_fallback"),
    "dropout": (edit(lambda c: c["model"].update(dropout=0.1)), "option dropout"),
    "suffix": (
        edit(lambda c: c["model"].update(end_of_word_suffix="</w>")),
        "option end_of_word_suffix",
    ),
    "lstrip": (edit(lambda c: c["added_tokens"][0].update(lstrip=True)), "option lstrip of '<s>'"),
    "special contains special": (
        edit(lambda c: c["added_tokens"].append({"id": 900, "content": "<s><s>"})),
        "must not contain one another; got '<s>' inside '<s><s>'",
    ),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_files_are_refused_by_name(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=f"tokenizer.json cannot be read .*{message}"):
        BPETokenizer.load(path)


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        BPETokenizer.load(tmp_path / "none.json")
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="must be complete JSON"):
        BPETokenizer.load(path)


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    BPETokenizer.train(TEXT, 260).save(path)
    whole = path.read_bytes().rstrip()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="cannot be read as a tokenizer"):
            BPETokenizer.load(path)


def test_an_interrupted_save_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    old = BPETokenizer.train(TEXT, 260)
    old.save(path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        BPETokenizer.train(TEXT, 270).save(path)
    assert same_tokenizer(BPETokenizer.load(path), old)
    assert [entry.name for entry in tmp_path.iterdir()] == ["tokenizer.json"]
