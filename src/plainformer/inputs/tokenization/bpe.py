"""`BPETokenizer`: byte-pair encoding as GPT-2 and its successors use it.

It combines the modules of this folder. There is no normalisation, so "é" as one character and as
"e" with a combining accent are different tokens. BPE dropout, subword prefixes and suffixes, and
templates that add more than one token at the start are not supported either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Self, TypeAlias

from plainformer.files import atomic_write
from plainformer.inputs.tokenization.bpe_check import (
    check_named,
    check_parts,
    errors_from,
    merges_to_learn,
)
from plainformer.inputs.tokenization.bpe_encode import apply_merges
from plainformer.inputs.tokenization.bpe_train import train_merges
from plainformer.inputs.tokenization.byte_alphabet import BYTE_ALPHABET, readable, split_bytes
from plainformer.inputs.tokenization.huggingface_files import (
    read_tokenizer_json,
    write_tokenizer_json,
)
from plainformer.inputs.tokenization.openai_files import read_gpt2_files, read_tiktoken_file
from plainformer.inputs.tokenization.pretokenize import (
    GPT2_PATTERN,
    count_words,
    pre_tokenize,
    with_prefix_space,
)
from plainformer.inputs.tokenization.protocol import UNK, check_text, look_up
from plainformer.inputs.tokenization.special_tokens import (
    Allowed,
    check_special_tokens,
    cut_at_special_tokens,
    ordinary_token,
)

__all__ = ["BPETokenizer"]

Token: TypeAlias = Any  # bytes when byte_level, else str
File: TypeAlias = str | os.PathLike[str]

CACHE_SIZE = 2**16  # how many words are cached with their ids
CACHED_LENGTH = 64  # in characters; longer words rarely occur twice


class BPETokenizer:
    """A vocabulary, a list of merges, and a pattern that splits a text before merging.

    It is usually created by `train`, `load`, `from_gpt2_files` or `from_tiktoken`.

    Args:
        vocab: the id of each token except special tokens. Tokens are bytes, or str without
            `byte_level`.
        merges: pairs of tokens, in the order in which they are applied.
        special_tokens: the id of each special token.
        pattern: splits a text into pieces that no merge crosses; see `pre_tokenize`.
        byte_level: start from the bytes of a text (True) or from its characters.
        unk_token: the special token for anything that is not in the vocabulary, or None.
        ignore_merges: whether a piece that is itself a token becomes that token, whatever the
            merges say, as in tiktoken and Llama 3.
        add_prefix_space: whether a text that does not begin with a space gets one, so that its
            first word becomes the same token as anywhere else.
        bos_token: the special token to put in front of each text, as Llama expects, or None.
        merge_counts: how often each merge's pair occurred when it was learned.

    >>> tokenizer = BPETokenizer({"a": 0, "b": 1, "ab": 2}, [("a", "b")], byte_level=False)
    >>> tokenizer.encode("abba")
    [2, 1, 0]
    """

    def __init__(
        self,
        vocab: Mapping[Token, int],
        merges: Iterable[tuple[Token, Token]],
        *,
        special_tokens: Mapping[str, int] | None = None,
        pattern: str = GPT2_PATTERN,
        byte_level: bool = True,
        unk_token: str | None = None,
        ignore_merges: bool = False,
        add_prefix_space: bool = False,
        bos_token: str | None = None,
        merge_counts: Iterable[int] = (),
    ) -> None:
        special_tokens = special_tokens or {}
        self.merges: list[tuple[Token, Token]] = list(merges)
        self.merge_counts: list[int] = list(merge_counts)
        check_parts(vocab, self.merges, special_tokens, byte_level, self.merge_counts)
        check_named("unk_token", unk_token, special_tokens)
        check_named("bos_token", bos_token, special_tokens)
        pre_tokenize("", pattern)  # raises if the pattern is invalid
        self.vocab: dict[Token, int] = dict(vocab)
        self.special_tokens: dict[str, int] = dict(special_tokens)
        self.pattern = pattern
        self.byte_level = byte_level
        self.unk_token = unk_token
        self.ignore_merges = ignore_merges
        self.add_prefix_space = add_prefix_space
        self.bos_token = bos_token

        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._token_of = {id_: token for token, id_ in self.vocab.items()}
        for token, id_ in self.special_tokens.items():
            self._token_of[id_] = token.encode("utf-8") if byte_level else token
        self._cache: dict[str, list[int]] = {}

    # Constructors

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        vocab_size: int,
        *,
        special_tokens: Iterable[str] = (),
        pattern: str = GPT2_PATTERN,
        byte_level: bool = True,
        add_prefix_space: bool = False,
        bos_token: str | None = None,
    ) -> Self:
        """Learn a vocabulary from texts, with the merges and ids of `tokenizers`' `BpeTrainer`.

        The special tokens get the first ids. The alphabet follows: either the 256 bytes, sorted by
        how GPT-2's files spell them, or the characters of the texts, sorted by code point. The
        tokens that the merges produce come last, and none of them may be spelled like a special
        token.

        Args:
            texts: a string, or any iterable of strings, read one at a time. No token spans two.
            vocab_size: the total number of tokens. The result has fewer if every pre-token becomes
                a single token before that number is reached.
            special_tokens: tokens that `encode` recognises only if it is told to. Without
                `byte_level`, "<unk>", if listed, is used for characters not seen in training.
            pattern, byte_level, add_prefix_space, bos_token: as for the class.

        Source: Sennrich, Haddow and Birch (2016), section 3.2; for bytes and the pattern,
        Radford et al. (2019), section 2.2.

        >>> tokenizer = BPETokenizer.train(["low lower", "lowest"], vocab_size=259)
        >>> tokenizer.merges, tokenizer.merge_counts
        ([(b'l', b'o'), (b'lo', b'w'), (b'low', b'e')], [3, 3, 2])
        """
        special = check_special_tokens(special_tokens)
        check_named("bos_token", bos_token, special)  # before a long corpus is read
        alphabet: list[Token] = BYTE_ALPHABET if byte_level else []
        merges_to_learn(vocab_size, special, alphabet)

        words = count_words(texts, pattern, add_prefix_space=add_prefix_space)
        if not byte_level:
            alphabet = sorted({char for word in words for char in word})
        n_merges = merges_to_learn(vocab_size, special, alphabet)
        split: Any = split_bytes if byte_level else tuple
        spellings = {split(word): times for word, times in words.items()}
        never = {ordinary_token(token, byte_level) for token in special}
        merges = dict(train_merges(spellings, alphabet, n_merges, never=never))  # and their counts
        tokens = [*alphabet, *(first + second for first, second in merges)]
        return cls(
            {token: id_ for id_, token in enumerate(tokens, start=len(special))},
            merges,
            special_tokens={token: id_ for id_, token in enumerate(special)},
            pattern=pattern,
            byte_level=byte_level,
            unk_token=UNK if UNK in special and not byte_level else None,
            add_prefix_space=add_prefix_space,
            bos_token=bos_token,
            merge_counts=merges.values(),
        )

    @classmethod
    def load(cls, path: File) -> Self:
        """Read a `tokenizer.json` written by `save` or by Hugging Face's `tokenizers`.

        A file that relies on an unsupported option is rejected (see `huggingface_files.py`).
        """
        with errors_from(path):
            return cls(**read_tokenizer_json(path))

    @classmethod
    def from_gpt2_files(cls, vocab_json: File, merges_txt: File) -> Self:
        """Read the two files published with GPT-2, and with many models after it.

        A token in `vocab_json` that is neither a single byte nor the result of a merge, such as
        "<|endoftext|>", becomes a special token.
        """
        with errors_from(vocab_json, merges_txt):
            return cls(**read_gpt2_files(vocab_json, merges_txt))

    @classmethod
    def from_tiktoken(
        cls, path: File, *, pattern: str, special_tokens: Mapping[str, int] | None = None
    ) -> Self:
        """Read a file of ranks in the format of `tiktoken`, such as `cl100k_base.tiktoken`.

        The file contains neither the pattern nor the special tokens, so pass those that go with it.
        """
        with errors_from(path):
            ranks = read_tiktoken_file(path)
        return cls(**ranks, pattern=pattern, special_tokens=special_tokens, ignore_merges=True)

    def save(self, path: File) -> None:
        """Write a `tokenizer.json` that `load` and `tokenizers.Tokenizer.from_file` read.

        Everything is saved except `merge_counts`, which the format does not support. A pattern that
        `tokenizers` might interpret differently is rejected. If saving is interrupted, the old file
        is left intact.

        >>> from tempfile import TemporaryDirectory
        >>> tokenizer = BPETokenizer.train("low lower lowest", vocab_size=260)
        >>> with TemporaryDirectory() as folder:
        ...     tokenizer.save(f"{folder}/tokenizer.json")
        ...     BPETokenizer.load(f"{folder}/tokenizer.json").merges == tokenizer.merges
        True
        """
        atomic_write(path, write_tokenizer_json(self))

    # Encoding and decoding

    @property
    def vocab_size(self) -> int:
        """The number of different tokens, including special tokens."""
        return len(self.vocab) + len(self.special_tokens)

    def encode(
        self, text: str, *, allowed_special: Allowed = (), add_special_tokens: bool = True
    ) -> list[int]:
        """The ids of the text's tokens; `add_special_tokens=False` leaves the start token out.

        Special tokens in the text are recognised only if `allowed_special` lists them or is "all".
        Otherwise they are treated as ordinary text, so that user input cannot end your document.
        (By default `tokenizers` recognises them all, and `tiktoken` rejects a text that contains
        one.) A character that the vocabulary lacks is an error unless there is an `<unk>`.

        >>> tokenizer = BPETokenizer.train("", 257, special_tokens=["<eos>"])
        >>> tokenizer.encode("a<eos>"), tokenizer.encode("a<eos>", allowed_special="all")
        ([65, 28, 69, 79, 83, 30], [65, 0])
        """
        check_text(text)
        ids: list[int] = []
        if add_special_tokens and self.bos_token is not None:
            ids.append(self.special_tokens[self.bos_token])
        for piece, special in cut_at_special_tokens(text, self.special_tokens, allowed_special):
            if special:
                ids.append(self.special_tokens[piece])
                continue
            if self.add_prefix_space:
                piece = with_prefix_space(piece)
            for word in pre_tokenize(piece, self.pattern):
                known = self._cache.get(word)
                ids += self._encode_word(word) if known is None else known
        return ids

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        r"""The text that these ids encode.

        `decode(encode(text)) == text`, unless a character became `<unk>` and was lost, or a start
        token or a space was added in front. Bytes that are not valid UTF-8 become U+FFFD, the
        replacement character, because ids that a model generates may end in the middle of a
        character. Special tokens are written out unless `skip_special_tokens` is True.

        >>> tokenizer = BPETokenizer.train("", 256)
        >>> ids = tokenizer.encode("a€")
        >>> tokenizer.decode(ids), tokenizer.decode(ids[:3])
        ('a€', 'a\ufffd')
        """
        skipped = {id_: None for id_ in self.special_tokens.values() if skip_special_tokens}
        found = [each for each in look_up(ids, self._token_of | skipped) if each is not None]
        if self.byte_level:
            return b"".join(found).decode("utf-8", errors="replace")
        return "".join(found)

    def tokens(
        self, text: str, *, allowed_special: Allowed = (), add_special_tokens: bool = True
    ) -> list[str]:
        """The text's tokens in readable form, such as " cat", or `<0xE2>` for a stray byte.

        >>> BPETokenizer.train("your cat is a lovely cat", 259).tokens("a cat€")
        ['a', ' cat', '<0xE2>', '<0x82>', '<0xAC>']
        """
        ids = self.encode(
            text, allowed_special=allowed_special, add_special_tokens=add_special_tokens
        )
        found = look_up(ids, self._token_of)
        return [readable(token) for token in found] if self.byte_level else found

    def _encode_word(self, word: str) -> list[int]:
        """The ids of one pre-token, cached because a few words make up most of a text."""
        whole = word.encode("utf-8") if self.byte_level else word
        if self.ignore_merges and whole in self.vocab:
            ids = [self.vocab[whole]]
        else:
            symbols: Any = split_bytes(word) if self.byte_level else word
            ids = list(map(self._id, apply_merges(symbols, self._ranks)))
        if len(word) <= CACHED_LENGTH:
            if len(self._cache) >= CACHE_SIZE:
                self._cache.clear()
            self._cache[word] = ids
        return ids

    def _id(self, token: Token) -> int:
        """The id of a token, or that of `<unk>`."""
        if token in self.vocab:
            return self.vocab[token]
        if self.unk_token is not None:
            return self.special_tokens[self.unk_token]
        raise ValueError(
            f"text must consist of tokens of the vocabulary; got {token!r}, which is not in it "
            "(training with special_tokens=['<unk>'] adds a token for such characters)"
        )

    def __repr__(self) -> str:
        return (
            f"BPETokenizer(vocab_size={self.vocab_size}, merges={len(self.merges)}, "
            f"special_tokens={len(self.special_tokens)}, byte_level={self.byte_level})"
        )
