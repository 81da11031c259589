"""Step 1: from a text to a tokenizer, ids to learn from, and ids held out."""

from typing import Any

import numpy as np
import torch

from plainformer.exercises.compare import Arrays, describe_type
from plainformer.exercises.spec import Case, Exercise
from plainformer.inputs import BPETokenizer


def prepare(
    text: str,
    vocab_size: int,
) -> tuple[BPETokenizer, torch.Tensor, torch.Tensor]:
    """Split a text in two and train a tokenizer on the first part.

    The last tenth of the characters is held out: both the model and the
    tokenizer learn from the first len(text) * 9 // 10.
    text: a string. vocab_size: 256 or more.
    Returns the tokenizer, BPETokenizer.train(...); the ids of the
    first part; the ids of the last. Ids are 1-D torch tensors of
    whole numbers (int64).

    >>> tokenizer, learned, held_out = prepare("ab" * 10, 257)
    >>> tokenizer.merges
    [(b'a', b'b')]
    >>> learned.tolist(), held_out.tolist()
    ([256, 256, 256, 256, 256, 256, 256, 256, 256], [256])
    """
    cut = len(text) * 9 // 10
    first, last = text[:cut], text[cut:]
    tokenizer = BPETokenizer.train(first, vocab_size)
    learned = torch.tensor(tokenizer.encode(first), dtype=torch.long)
    held_out = torch.tensor(tokenizer.encode(last), dtype=torch.long)
    return tokenizer, learned, held_out


class _Prepared(Arrays):
    """A tokenizer is compared by its merges, ids as arrays."""

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        if not isinstance(got, tuple) or len(got) != 3:
            return f"it should be a tuple of a tokenizer and two tensors, not {describe_type(got)}"
        if not isinstance(got[0], BPETokenizer):
            return f"in part 0, it should be a BPETokenizer, not {describe_type(got[0])}"
        ours, theirs = expected[0].merges, got[0].merges
        if ours != theirs:
            said = f"it has {len(theirs)} merges, the right one {len(ours)}"
            return f"your tokenizer has learned something else: {said}"
        for part in (1, 2):
            differs = super().difference(expected[part], got[part], reveal=reveal)
            if differs is not None:
                return f"in part {part} of the tuple, {differs}"
        return None

    def show(self, value: Any) -> str:
        if isinstance(value, tuple) and len(value) == 3:
            tokenizer, *ids = value
            vocabulary = getattr(tokenizer, "vocab_size", describe_type(tokenizer))
            sizes = " and ".join(
                str(len(each)) if hasattr(each, "__len__") else "?" for each in ids
            )
            return f"a tokenizer of {vocabulary} tokens, and {sizes} ids"
        return super().show(value)


def _draw(rng: np.random.Generator) -> tuple[str, int]:
    words = ["the cat", " sat", " on the mat", "\n", "è", " a ", "tat"]
    text = "".join(str(word) for word in rng.choice(words, size=rng.integers(12, 24)))
    return text, int(rng.integers(256, 270))


def _given(merges: list[tuple[bytes, bytes]], learned: list[int], held_out: list[int]) -> Any:
    vocab = dict(BPETokenizer.train("", 256).vocab)
    for first, second in merges:
        vocab[first + second] = len(vocab)
    tokenizer = BPETokenizer(vocab, merges)
    return tokenizer, torch.tensor(learned, dtype=torch.long), torch.tensor(held_out)


_A = BPETokenizer.train("", 256).encode("a")[0]

EXERCISE = Exercise(
    id="training.capstone.1",
    title="From a text to ids",
    reference=prepare,
    compare=_Prepared(),
    cases=(
        # 18 characters, nine times "ab", are learned from; "ab" is held out.
        Case(("ab" * 10, 257), _given([(b"a", b"b")], [256] * 9, [256])),
        # Nothing to merge: ten letters are ten bytes.
        Case(("a" * 10, 256), _given([], [_A] * 9, [_A])),
        # 9 letters: 8 and 1. The pair of two a's, four times.
        Case(("a" * 9, 257), _given([(b"a", b"a")], [256] * 4, [_A])),
    ),
    generate=_draw,
    hints=(
        "First cut the text, then train: text[:cut] and text[cut:]. The tokenizer sees only "
        "the first part.",
        "tokenizer.encode returns a list of whole numbers. torch.tensor makes a tensor of it; "
        "specify dtype=torch.long, because a list may be empty.",
    ),
    mutants={
        "Your tokenizer was trained on the whole text. The held-out text must be new to the "
        "tokenizer as well.": "BPETokenizer.train(first, -> BPETokenizer.train(text,",
        "You hold out the beginning. "
        "Hold out the end instead.": "cut = len(text) * 9 // 10 -> cut = len(text) * 9 // 10\n"
        "    text = text[len(text) - cut :] + text[: len(text) - cut]",
        "Your training part is the whole text, "
        "including the held-out end.": "tokenizer.encode(first) -> tokenizer.encode(text)",
        "You return the held-out ids first. What is learned from comes "
        "first.": "return tokenizer, learned, held_out -> return tokenizer, held_out, learned",
        "You hold out nine tenths and learn from one.": "9 // 10 -> 1 // 10",
        "Ids are whole numbers: yours are floats. Say "
        "dtype=torch.long.": "tokenizer.encode(first), dtype=torch.long -> "
        "tokenizer.encode(first), dtype=torch.float32",
        "Your tokenizer knows only bytes: pass it vocab_size.": "first, vocab_size -> first, 256",
    },
)


@EXERCISE.mutant("You split the ids and not the text, so the tokenizer has read the held-out part.")
def _cut_later(text: str, vocab_size: int) -> Any:
    tokenizer = BPETokenizer.train(text, vocab_size)
    ids = torch.tensor(tokenizer.encode(text))
    cut = len(ids) * 9 // 10
    return tokenizer, ids[:cut], ids[cut:]


@EXERCISE.alternate
def _by_a_loop(text: str, vocab_size: int) -> Any:
    cut = int(0.9 * len(text) + 1e-9)
    parts = text[:cut], text[cut:]
    tokenizer = BPETokenizer.train([parts[0]], vocab_size)
    return (tokenizer, *(torch.LongTensor(tokenizer.encode(part)) for part in parts))


@EXERCISE.alternate
def _by_numpy(text: str, vocab_size: int) -> Any:
    cut = len(text) - -(-len(text) // 10)
    tokenizer = BPETokenizer.train(text[:cut], vocab_size)
    first, last = (np.array(tokenizer.encode(t), dtype=np.int64) for t in (text[:cut], text[cut:]))
    return tokenizer, torch.from_numpy(first), torch.from_numpy(last)
