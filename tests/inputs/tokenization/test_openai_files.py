"""The files of GPT-2 and of tiktoken: the same ids as the libraries that own them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from tests.awkward import AWKWARD
from tests.inputs.tokenization.peers import (
    our_merges,
    small_texts,
    tiktoken_encoding,
    write_tiktoken,
)
from tokenizers import Tokenizer as HFTokenizer

from plainformer.inputs.tokenization import GPT2_PATTERN, BPETokenizer, bytes_to_unicode

TEXT = "your cat is a lovely cat, isn't it? Don't you think it's the loveliest of cats! 猫 " * 3


def save(tokenizer: BPETokenizer, folder: Path) -> str:
    tokenizer.save(folder / "tokenizer.json")
    return str(folder / "tokenizer.json")


# GPT-2's two files


def write_gpt2(folder: Path, tokenizer: BPETokenizer) -> tuple[Path, Path]:
    vocab = {bytes_to_unicode(token): id_ for token, id_ in tokenizer.vocab.items()}
    vocab_json, merges_txt = folder / "vocab.json", folder / "merges.txt"
    vocab_json.write_text(json.dumps(vocab | tokenizer.special_tokens))
    lines = [" ".join(pair) for pair in our_merges(tokenizer)]
    merges_txt.write_text("\n".join(["#version: 0.2", *lines, ""]), encoding="utf-8")
    return vocab_json, merges_txt


def test_gpt2_files(tmp_path: Path) -> None:
    text = TEXT + "## # ## # #version" * 5  # a merge may begin with "#"
    ours = BPETokenizer.train(text, 310, special_tokens=["<|endoftext|>"])
    assert (b"#", b"#") in ours.merges
    read = BPETokenizer.from_gpt2_files(*write_gpt2(tmp_path, ours))
    assert (read.vocab, read.merges) == (ours.vocab, ours.merges)
    assert read.special_tokens == {"<|endoftext|>": 0}
    theirs = HFTokenizer.from_file(save(read, tmp_path))
    theirs.encode_special_tokens = True
    for text in AWKWARD:
        assert read.encode(text) == ours.encode(text) == theirs.encode(text).ids


def test_special_tokens_outside_the_byte_alphabet(tmp_path: Path) -> None:
    special = ["<end of text>", "<猫>"]
    ours = BPETokenizer.train(TEXT, 270, special_tokens=special)
    read = BPETokenizer.from_gpt2_files(*write_gpt2(tmp_path, ours))
    assert read.special_tokens == ours.special_tokens
    assert read.encode("a<猫>", allowed_special=special)[-1] == 1


def test_broken_gpt2_files(tmp_path: Path) -> None:
    ours = BPETokenizer.train(TEXT, 270)
    vocab_json, merges_txt = write_gpt2(tmp_path, ours)
    merges = merges_txt.read_text()
    merges_txt.write_text(merges + "three on line\n")
    with pytest.raises(ValueError, match=r"vocab.json and .*merges.txt .* line 16 is 'three on"):
        BPETokenizer.from_gpt2_files(vocab_json, merges_txt)
    merges_txt.write_text("#version: 0.2\n\n\nthree on line\n")
    with pytest.raises(ValueError, match="line 4 is 'three on line'"):
        BPETokenizer.from_gpt2_files(vocab_json, merges_txt)
    merges_txt.write_text(merges + "z z\n")
    with pytest.raises(ValueError, match="no b'zz' in it"):
        BPETokenizer.from_gpt2_files(vocab_json, merges_txt)
    merges_txt.write_text(merges)
    vocab_json.write_text(vocab_json.read_text()[:-20])
    with pytest.raises(ValueError, match="must be complete JSON"):
        BPETokenizer.from_gpt2_files(vocab_json, merges_txt)


# tiktoken's file of ranks


@pytest.mark.parametrize("special_tokens", [{}, {"<|endoftext|>": 1000, "<|pad|>": 5000}])
def test_tiktoken_file(tmp_path: Path, special_tokens: dict[str, int]) -> None:
    ours = BPETokenizer.train(TEXT, 290)
    write_tiktoken(tmp_path / "ranks", ours.vocab)
    read = BPETokenizer.from_tiktoken(
        tmp_path / "ranks", pattern=GPT2_PATTERN, special_tokens=special_tokens
    )
    theirs = tiktoken_encoding(ours.vocab, special_tokens)
    hf = HFTokenizer.from_file(save(read, tmp_path))
    hf.encode_special_tokens = True
    assert read.vocab_size == 290 + len(special_tokens)
    for text in [TEXT, *AWKWARD]:
        ids = theirs.encode_ordinary(text)
        assert read.encode(text) == ours.encode(text) == hf.encode(text).ids == ids
        assert read.decode(ids) == theirs.decode(ids) == text
        marked = f"{text}<|endoftext|>{text}"
        assert read.encode(marked, allowed_special="all") == theirs.encode(
            marked, allowed_special="all"
        )


@given(text=small_texts, other=small_texts)
def test_ids_as_tiktoken_has_them(tmp_path_factory: Any, text: str, other: str) -> None:
    path = tmp_path_factory.mktemp("ranks") / "ranks"
    ours = BPETokenizer.train(text, 300)
    write_tiktoken(path, ours.vocab)
    read = BPETokenizer.from_tiktoken(path, pattern=GPT2_PATTERN)
    theirs = tiktoken_encoding(ours.vocab)
    for sample in (text, other):
        assert read.encode(sample) == theirs.encode_ordinary(sample) == ours.encode(sample)


def test_broken_tiktoken_files(tmp_path: Path) -> None:
    path = tmp_path / "ranks"
    ranks = BPETokenizer.train(TEXT, 270).vocab
    write_tiktoken(path, ranks)
    whole = path.read_text()

    def refused(content: str, message: str, **options: Any) -> None:
        path.write_text(content)
        with pytest.raises(ValueError, match=message):
            BPETokenizer.from_tiktoken(path, pattern=GPT2_PATTERN, **options)

    refused(whole + "no*base64 300\n", "line 271 is 'no")
    refused(whole + "YWI=\n", "line 271 is 'YWI='")
    refused(whole + "YWI= x\n", "line 271 is 'YWI= x'")
    refused(whole + " 300\n", "line 271 is ' 300'")
    refused(whole + whole, "line 271 is")
    refused("\n\n" + whole + "\nYWI=\n", "line 274 is 'YWI='")
    refused(whole[: len(whole) // 2].rsplit("\n", 1)[0], "all 256 bytes must have a rank")
    refused(whole + "YWJj 260\n", "ids must be different; got 260")
    refused(whole, "got 3 for both", special_tokens={"<s>": 3})
    refused(whole, "contain one another", special_tokens={"<s>": 400, "<s><s>": 401})
    path.write_bytes(b"\xff\xff")
    with pytest.raises(ValueError, match=r"ranks cannot be read .* 'utf-8'"):
        BPETokenizer.from_tiktoken(path, pattern=GPT2_PATTERN)
