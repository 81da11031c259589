"""The tasks of every chapter, written as question banks and read back.

It is here because the tasks take most of a minute to derive, which the tests of this folder share.
"""

import pytest
from tests.classroom.bank.comparing import compare_gift, compare_qti

from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.practice import chapter_tasks


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_chapter_can_be_written_in_both_formats(chapter: str) -> None:
    tasks = chapter_tasks(chapter)
    questions = len(tasks) + sum(task.kind == "bug" for task in tasks)
    assert compare_gift(chapter, tasks) == questions
    count, without = compare_qti(tasks)
    assert count == questions - len(without) and len(without) <= 1
