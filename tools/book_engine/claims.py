"""The claims of a cell tagged ``checks``: each in words, then the code that checks it.

A claim is one comment, of one line or more, that stands at the left edge, and the statements below
it up to the next such comment. What stands before the first comment prepares the claims and has no
words of its own.

Not handled: a comment between two statements of one claim starts the next claim, so write it
inside the line.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

TAG = "checks"  # of a cell that holds claims
CALLS = {"close", "same"}  # of plainformer.verify: they raise where two results differ


class ClaimError(ValueError):
    """A cell of checks that claims nothing, or claims something without checking it."""


@dataclass(frozen=True)
class Claim:
    """What is said, and the code that stops the build where it is not so."""

    words: str
    code: str

    @property
    def assertions(self) -> int:
        """How many assertions the code holds."""
        return count_assertions(self.code)


def read_claims(source: str) -> tuple[str, list[Claim]]:
    r"""Return the code that comes before the first claim, and the claims of a cell.

    Raises `ClaimError` where a claim has no assertion, or the cell has no claim.

    >>> read_claims("total = 1 + 1\n# One and one\n# are two.\nassert total == 2\n")
    ('total = 1 + 1', [Claim(words='One and one are two.', code='assert total == 2')])
    """
    before: list[str] = []
    found: list[tuple[list[str], list[str]]] = []
    commented = False  # whether the line before was a comment at the left edge
    for line in source.strip("\n").split("\n"):
        is_comment = line.startswith("#")
        if is_comment and not commented:
            found.append(([], []))
        if is_comment:
            found[-1][0].append(line.lstrip("#").strip())
        else:
            (found[-1][1] if found else before).append(line)
        commented = is_comment
    claims = [Claim(" ".join(words), "\n".join(code).strip("\n")) for words, code in found]
    if not claims:
        raise ClaimError("a cell of checks says what it checks, in a comment at the left edge")
    for claim in claims:
        if not claim.assertions:
            raise ClaimError(f"nothing checks the claim {claim.words!r}: no assert, close or same")
    return "\n".join(before).strip("\n"), claims


def count_assertions(source: str) -> int:
    """Return how many ``assert`` statements and calls of ``close`` and ``same`` the code holds.

    >>> count_assertions("assert 1 < 2\\nclose(a, b, tolerance=0)\\nprint(close)")
    2
    """
    return sum(
        isinstance(node, ast.Assert)
        or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS
        )
        for node in ast.walk(ast.parse(source))
    )


def announce(count: int) -> str:
    """Return the words of the badge.

    >>> announce(1), announce(5)
    ('✓ 1 claim checked', '✓ 5 claims checked')
    """
    return f"✓ {count} claim{'' if count == 1 else 's'} checked"
