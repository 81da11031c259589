"""Two ways to the same result, side by side: what the measurements of this folder share.

The two take turns, and so does who goes first, so that a busy machine troubles both. Times are
medians of wall-clock time; a ratio is the median of the turns' own ratios.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any


@dataclass
class Race:
    """Two ways to the same result; how many times the other's time ours may take, if that is set.

    `agree` is called with both results before anything is measured, and says what differs between
    them: an empty text, if nothing does. None where they are not meant to be the same.
    """

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    at_most: float | None = None
    agree: Callable[[Any, Any], str] | None = None


def seconds(call: Callable[[], object]) -> float:
    """What one call takes."""
    start = perf_counter()
    result = call()
    elapsed = perf_counter() - start
    del result  # what it takes to throw the result away is not counted
    return elapsed


def measure(race: Race, repeats: int) -> tuple[float, float, float]:
    """Median milliseconds, ours and theirs, and the median ratio, after one turn to agree."""
    ours, theirs = race.ours(), race.theirs()
    difference = race.agree(ours, theirs) if race.agree else ""
    if difference:
        sys.exit(f"{race.name}: {difference}: there is nothing to compare")
    del ours, theirs
    taken: list[tuple[float, float]] = []
    for turn in range(repeats):
        if turn % 2:
            ours_s, theirs_s = seconds(race.ours), seconds(race.theirs)
        else:
            theirs_s, ours_s = seconds(race.theirs), seconds(race.ours)
        taken.append((1000 * ours_s, 1000 * theirs_s))
    ratio = statistics.median(ours / theirs for ours, theirs in taken)
    return *map(statistics.median, zip(*taken, strict=True)), ratio


def threads(count: int) -> str:
    """How a heading says on how many threads it was measured."""
    return f"{count} thread{'s' if count > 1 else ''}"


def run(heading: str, races: list[Race], repeats: int, theirs: str, ours: str = "ours") -> bool:
    """Print one table; whether every ratio is within its limit. The two names head columns."""
    print(f"\n{heading}; medians of {repeats}")
    print(f"{'':28}{ours + ', ms':>12}{theirs + ', ms':>18}{'ratio':>8}{'at most':>10}")
    kept = True
    for race in races:
        our_ms, their_ms, ratio = measure(race, repeats)
        missed = race.at_most is not None and ratio > race.at_most
        kept = kept and not missed
        limit = "" if race.at_most is None else f"{race.at_most:10.3g}"
        print(
            f"{race.name:28}{our_ms:12.2f}{their_ms:18.2f}{ratio:8.3g}{limit}"
            + ("  missed" if missed else ""),
            flush=True,
        )
    return kept
