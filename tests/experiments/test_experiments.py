"""Experiments: right answers are found, others are measured and not, and nothing raises."""

import re
from pathlib import Path
from typing import Any

import pytest

from plainformer.experiments import Experiment, Finding, experiment, experiments

PAGE = Path(__file__).resolve().parents[2] / "book" / "appendix" / "experiments.md"
KNOWN = experiments()
WRONG: dict[str, Any] = {  # answers that can be measured, and are not what is looked for
    "inputs.tokenization": "the cat sat and ran",
    "inputs.embedding": ("cat", "under"),
    "inputs.positions": ("Tim gave Lily", "Lily gave Tim"),
    "attention.self_attention": (0, 0),
    "attention.masking": 12,
    "attention.cross_attention": ("the cat sleeps", "the cat sleeps"),
    "attention.multi_head": (3, 2),
    "blocks.feed_forward": (2, 0, "friend"),
    "blocks.residual_norm": 0,
    "blocks.lm_head": "Lily and her friends",
    "decoding.next_token": "Once upon the table lay",
    "decoding.temperature": "The end of the",
    "decoding.penalties": "The dog",
    "decoding.search": "In the middle of the",
    "decoding.sampling": "Once upon a",
    "training.language_model": 8.0,
}
NOTHING: tuple[Any, ...] = (None, "", (), -1, True, ("x",), (99, 99), "a " * 500, ["cat", 3], 1e9)


@pytest.mark.parametrize("chapter", KNOWN)
def test_right_answers_are_found_and_another_is_not(chapter: str) -> None:
    assert KNOWN[chapter].examples, "an experiment that nobody can solve is none"
    for answer in KNOWN[chapter].examples:
        assert KNOWN[chapter].measure(answer), answer
    assert not KNOWN[chapter].measure(WRONG[chapter])


@pytest.mark.parametrize("chapter", KNOWN)
def test_what_cannot_be_measured_is_said_and_not_raised(
    chapter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for answer in NOTHING:
        finding = experiment(chapter, answer)
        said = " ".join(capsys.readouterr().out.split())
        assert isinstance(finding, Finding) and said.endswith(finding.measured.rstrip(".") + ".")
        assert not finding, answer


def test_without_an_answer_the_task_is_shown() -> None:
    asked = experiment("decoding.search")
    assert isinstance(asked, Experiment)
    assert asked._repr_markdown_() == asked.task


def test_an_unknown_chapter_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'decoding\.seach' has no experiment; these have: in"):
        experiment("decoding.seach")


def test_the_page_has_them_all_once_and_in_order() -> None:
    page = PAGE.read_text("utf-8")
    asked = re.findall(r'^experiment\("([\w.]+)", \.\.\.\)$', page, re.MULTILINE)
    assert asked == list(KNOWN)
    titles = re.findall(r"^### (.*)$", page, re.MULTILINE)
    assert titles == [each.title for each in KNOWN.values()]


def test_findings_are_true_or_false() -> None:
    assert Finding(True, "") and not Finding(False, "")
