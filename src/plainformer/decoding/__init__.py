"""Part 5, decoding: from logits to text, whichever model made the logits.

>>> from plainformer.decoding import log_softmax
>>> log_softmax([0.0, 0.0]).round(3).tolist()  # two tokens alike: log of 1/2
[-0.693, -0.693]
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.decoding.logits import LogitsFn, check_logits, log_softmax
    from plainformer.decoding.philox import CounterRNG

__all__ = [
    "CounterRNG",
    "LogitsFn",
    "check_logits",
    "log_softmax",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "logits": ["LogitsFn", "check_logits", "log_softmax"],
        "philox": ["CounterRNG"],
    },
)
