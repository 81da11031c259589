"""Which pages run first: those that take longest, so that none of them is left alone at the end.

A page's record says how long it took the last time. Where there is none, as in a first build, the
table below is all that is known.
"""

from __future__ import annotations

from .records import Record

__all__ = ["LONG_PAGES", "expected_seconds"]

# Seconds in a build on two cores, roughly, since only the order matters.
LONG_PAGES = {
    "book/assistant/rewards": 100,
    "book/training/language_model": 95,
    "book/training/capstone": 90,
    "book/assistant/circuits": 75,
    "book/assistant/assistant": 65,
    "book/training/classification": 60,
    "book/training/sequence_pairs": 58,
    "book/training/translation": 55,
    "book/attention/relative_positions": 52,
    "book/assistant/long_context": 50,
    "book/one_file": 47,
    "book/blocks/lm_head": 40,
}
OTHERS = 30.0  # seconds, so that a new page starts before those that are known to be short


def expected_seconds(name: str, record: Record | None) -> float:
    """Return how long a page will take: as long as last time, or else what the table says.

    >>> expected_seconds("book/training/capstone", None) > expected_seconds("book/glass", None)
    True
    """
    return record.seconds if record else float(LONG_PAGES.get(name, OTHERS))
