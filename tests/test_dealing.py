"""Tests that belong together come to one worker, in their order."""

import pytest
from tests.dealing import Dealer

CAME: list[str] = []


@pytest.mark.parametrize("number", range(6))
def test_a_file_stays_together(number: int, request: pytest.FixtureRequest) -> None:
    """What ran here before are all of this file's tests that stand before this one."""
    mine = [item.name for item in request.session.items if item.path == request.path]
    mine = [name for name in mine if name.startswith("test_a_file_stays_together")]
    assert mine[: mine.index(request.node.name)] == CAME
    CAME.append(request.node.name)


def test_the_dealer_is_asked_by_the_name_that_it_knows() -> None:
    """It is no public door of xdist's: a new version may close it."""
    assert "_split_scope" in vars(Dealer.__base__)
