"""Part 5, decoding: from logits to text, whichever model made the logits.

>>> from plainformer.decoding import log_softmax
>>> log_softmax([0.0, 0.0]).round(3).tolist()  # two tokens alike: log of 1/2
[-0.693, -0.693]
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.decoding.logits import LogitsFn, check_logits, log_softmax
    from plainformer.decoding.next_token import NGramModel, sequence_log_prob, witten_bell
    from plainformer.decoding.penalties import (
        count_tokens,
        frequency_penalty,
        presence_penalty,
        repetition_penalty,
    )
    from plainformer.decoding.philox import CounterRNG
    from plainformer.decoding.sampling import (
        History,
        LogitsPipeline,
        draw_token,
        generate,
        min_p,
        sample,
        speculative_sample,
        top_k,
        top_p,
    )
    from plainformer.decoding.search import SearchTree, beam_search, greedy_search
    from plainformer.decoding.temperature import apply_temperature, entropy

__all__ = [
    "CounterRNG",
    "History",
    "LogitsFn",
    "LogitsPipeline",
    "NGramModel",
    "SearchTree",
    "apply_temperature",
    "beam_search",
    "check_logits",
    "count_tokens",
    "draw_token",
    "entropy",
    "frequency_penalty",
    "generate",
    "greedy_search",
    "log_softmax",
    "min_p",
    "presence_penalty",
    "repetition_penalty",
    "sample",
    "sequence_log_prob",
    "speculative_sample",
    "top_k",
    "top_p",
    "witten_bell",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "logits": ["LogitsFn", "check_logits", "log_softmax"],
        "penalties": [
            "count_tokens",
            "frequency_penalty",
            "presence_penalty",
            "repetition_penalty",
        ],
        "next_token": ["NGramModel", "sequence_log_prob", "witten_bell"],
        "philox": ["CounterRNG"],
        "sampling": [
            "History",
            "LogitsPipeline",
            "draw_token",
            "generate",
            "min_p",
            "sample",
            "speculative_sample",
            "top_k",
            "top_p",
        ],
        "search": ["SearchTree", "beam_search", "greedy_search"],
        "temperature": ["apply_temperature", "entropy"],
    },
)
