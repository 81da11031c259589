"""How a test of the site fails: with every problem on a line of its own, and no traceback."""

import pytest


def expect_none(problems: list[str]) -> None:
    """Fail with all ``problems``, each once, in order; pass if there are none."""
    if problems:
        pytest.fail("\n".join(dict.fromkeys(problems)), pytrace=False)
