"""Exercise 3: a loss in bits per byte, which does not depend on the tokenizer."""

import math

import numpy as np

from plainformer.exercises.spec import Arrays, Case, Exercise


def bits_of_text(loss: float, n_tokens: int, text: str) -> float:
    """A model's loss on a text, in bits per byte.

    loss: the mean cross-entropy, in nats per token. n_tokens: how many
    tokens the text was split into, each of which was predicted.
    text: the text itself, not empty; its bytes are those of UTF-8.
    A nat is 1 / ln 2 bits.

    >>> bits_of_text(math.log(2), 4, "ab")  # 1 bit a token
    2.0
    >>> bits_of_text(math.log(2), 4, "èè")  # 4 bytes
    1.0
    """
    bits = loss * n_tokens / math.log(2)  # of the whole text
    return bits / len(text.encode("utf-8"))


def _draw(rng: np.random.Generator) -> tuple[float, int, str]:
    letters = [*"aeiou nrst", "è", "ß", "猫", "🐈"]
    text = "".join(rng.choice(letters, size=rng.integers(1, 12))) + str(
        rng.choice(["è", "猫", "a"])
    )
    return float(rng.integers(1, 60)) / 10, int(rng.integers(1, 9)), text


_LN2 = math.log(2)

EXERCISE = Exercise(
    id="training.language_model.3",
    title="Bits per byte",
    reference=bits_of_text,
    compare=Arrays(),
    cases=(
        Case((_LN2, 4, "ab"), 2.0),
        Case((_LN2, 4, "èè"), 1.0),
        # 3 bits per token, 2 tokens, 6 bytes: three for each character.
        Case((3 * _LN2, 2, "猫猫"), 1.0),
        Case((1.0, 1, "abcd"), 0.25 / _LN2),
        Case((0.0, 3, "cat"), 0.0),
    ),
    generate=_draw,
    hints=(
        "How many nats is the whole text? Multiply nats per token by the number of tokens, "
        "then convert the units.",
        "From nats to bits: log2(x) is ln(x) / ln(2), so the number grows. math.log is ln.",
        "How many bytes has a text? len(text) counts characters; text.encode() is its bytes.",
    ),
    mutants={
        "That is in nats. A bit is ln 2 nats, so divide by "
        "math.log(2).": "n_tokens / math.log(2) -> n_tokens",
        "A nat is more than a bit: divide by ln "
        "2.": "n_tokens / math.log(2) -> n_tokens * math.log(2)",
        "You count characters. Some have two, three or four "
        "bytes.": 'len(text.encode("utf-8")) -> len(text)',
        "That is bits per token. Ask how many tokens there are to a "
        "byte.": 'bits / len(text.encode("utf-8")) -> loss / math.log(2)',
        "That is bits of the whole text. Divide by its "
        "bytes.": 'bits / len(text.encode("utf-8")) -> bits',
        "You have left out the number of tokens: the "
        "loss is a mean over them.": "loss * n_tokens -> loss",
        "You divide by the number of tokens. A mean times how many there are is the "
        "whole.": "loss * n_tokens -> loss / n_tokens",
        "That is how perplexity is computed, exp(loss). Bits "
        "are already a logarithm.": "loss * n_tokens -> math.exp(loss) * n_tokens",
        "You take the logarithm of the loss. It is one "
        "already.": "loss * n_tokens / math.log(2) -> np.log2(np.maximum(loss, 1e-9)) * n_tokens",
        "That is bytes per bit: upside down.": 'bits / len(text.encode("utf-8")) -> '
        'len(text.encode("utf-8")) / max(bits, 1e-9)',
        "You change bytes into bits as well. A byte stays a "
        "byte.": 'len(text.encode("utf-8")) -> 8 / len(text.encode("utf-8"))',
    },
    alternates=[
        lambda loss, n_tokens, text: (
            loss * math.log2(math.e) * n_tokens / len(bytes(text, "utf-8"))
        ),
    ],
)


@EXERCISE.alternate
def _byte_by_byte(loss: float, n_tokens: int, text: str) -> float:
    size = 0
    for character in text:
        code = ord(character)
        size += 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
    return float(np.float64(loss) / np.log(2.0) * (n_tokens / size))
