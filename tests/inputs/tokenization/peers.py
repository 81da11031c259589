"""The production libraries, set up to do what ours does, and texts on which all must agree."""

import base64
import json
from collections.abc import Iterable
from pathlib import Path

import tiktoken
from hypothesis import strategies as st
from tokenizers import Regex, decoders, models, pre_tokenizers, processors, trainers
from tokenizers import Tokenizer as HFTokenizer

from plainformer.inputs.tokenization import GPT2_PATTERN, BPETokenizer, bytes_to_unicode

# Few letters, so that pairs repeat, overlap and tie; and characters of two to four bytes.
small_texts = st.text(alphabet="ab c\n", max_size=80)
mixed_texts = st.text(alphabet="aab  'sé€🙂1!\n", max_size=60)

# Any string that UTF-8 can hold ...
any_text = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
# ... and any of characters that have a meaning already: for newer ones, the libraries' tables of
# letters differ.
settled_text = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cn"]), max_size=40)


def short(text: object) -> str:
    """A name for a test case that fits a line."""
    return ascii(text)[:30]


def hf_pieces(text: str, pattern: str) -> list[str]:
    """Where `tokenizers` cuts: the pieces, and what lies between them."""
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    return [piece for piece, _ in split.pre_tokenize_str(text)]


def hf_train(
    texts: Iterable[str],
    vocab_size: int,
    *,
    special_tokens: Iterable[str] = (),
    pattern: str = GPT2_PATTERN,
    byte_level: bool = True,
    add_prefix_space: bool = False,
    bos_token: str | None = None,
) -> HFTokenizer:
    """What `BPETokenizer.train` does, done by `tokenizers`."""
    special = list(special_tokens)
    unk = "<unk>" if "<unk>" in special and not byte_level else None
    peer = HFTokenizer(models.BPE(unk_token=unk))
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    if not byte_level:
        peer.pre_tokenizer = split
        peer.decoder = decoders.Fuse()
    elif pattern == GPT2_PATTERN:
        peer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
        peer.decoder = decoders.ByteLevel()
    else:
        in_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        peer.pre_tokenizer = pre_tokenizers.Sequence([split, in_bytes])
        peer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if byte_level else [],
        show_progress=False,
    )
    peer.train_from_iterator(texts, trainer)
    if bos_token is not None:
        peer.post_processor = processors.TemplateProcessing(
            single=f"{bos_token} $A",
            pair=f"{bos_token} $A {bos_token}:1 $B:1",
            special_tokens=[(bos_token, peer.token_to_id(bos_token))],
        )
    return peer


def hf_merges(peer: HFTokenizer) -> list[tuple[str, str]]:
    """Its merges, in rank order, in the spelling of its files."""
    return [(first, second) for first, second in json.loads(peer.to_str())["model"]["merges"]]


def our_merges(tokenizer: BPETokenizer) -> list[tuple[str, str]]:
    """Ours, in the same spelling."""
    if not tokenizer.byte_level:
        return tokenizer.merges
    return [
        (bytes_to_unicode(first), bytes_to_unicode(second)) for first, second in tokenizer.merges
    ]


def write_tiktoken(path: Path, ranks: dict[bytes, int]) -> None:
    """A file of ranks, as `tiktoken` stores them."""
    lines = (f"{base64.b64encode(token).decode()} {rank}" for token, rank in ranks.items())
    path.write_text("".join(line + "\n" for line in lines))


def tiktoken_encoding(
    ranks: dict[bytes, int], special_tokens: dict[str, int] | None = None
) -> tiktoken.Encoding:
    """A `tiktoken` encoder made from ranks, with nothing downloaded."""
    return tiktoken.Encoding(
        "test", pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=special_tokens or {}
    )
