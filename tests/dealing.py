"""Which tests stay together in one worker, and which come first, by the names of the tests alone.

xdist's own groups are marks on the tests, which it writes into their names; pytest 9.2 takes names
no more from where xdist 3.8 writes them, and every group falls apart without a word. So the workers
are dealt to by a scheduler of our own, and `test_dealing.py` sees that what belongs together comes
together.
"""

import re

from xdist.scheduler import LoadScopeScheduling

# Groups that take long as a whole come first, then those of many small ones, so that the workers
# end together, because a group is never divided and only short ones are left at the end. Within a
# line, tests keep their order.
FIRST = (
    "tests/notebooks/test_execution.py",
    "tests/jupyter/",
    "tests/tools/test_book_build.py",
    "tests/exercises/test_every_exercise.py",
    "tests/exercises/practice/",
    "tests/wheel/test_installed.py",
    "tests/tools/",
    "tests/classroom/",
    "tests/training/",
    "tests/data/",
    "tests/site/test_checkers.py",
    "tests/widgets/test_every_widget",
    "tests/site/engines/test_pages.py",
    "tests/site/test_pages.py",
    "tests/site/",
    "tests/widgets/",
)

# Tests that share nothing but a browser, or nothing at all: each goes its own way.
ALONE = ("tests/site/", "tests/notebooks/test_execution.py")

# Those that read the HTML of all pages: to parse it takes ten seconds, once in a worker.
PARSING = re.compile(
    r"tests/site/test_(html|way|terms|search)\.py|::test_its_state_is_light|::test_each_page_with_a"
    r"|::test_every_chapter_of_the_route_has_a_deck|::test_it_says_what_the_chapter_says"
)


def group_of(name: str) -> str:
    """Return what a test stays together with in one worker: as a rule, the rest of its file.

    All that share the JupyterLab are one group, so that it starts once; so are those that parse
    every page, and those that derive the practice tasks of every chapter, which takes a minute. The
    laws of all widgets are a group for each widget, which the test's name holds.

    >>> group_of("tests/test_files.py::test_a"), group_of("tests/jupyter/test_live.py::test_b")
    ('tests/test_files.py', 'jupyter')
    >>> group_of("tests/widgets/test_every_widget_looks.py::test_c[BeamTree-320]")
    'tests/widgets/test_every_widget_looks.py BeamTree'
    >>> group_of("tests/site/test_pages.py::test_d[index.html]")
    'tests/site/test_pages.py::test_d[index.html]'
    >>> group_of("tests/site/test_html.py::test_e[index.html]")
    'parsed pages'
    """
    file = name.partition("::")[0]
    if PARSING.search(name):
        return "parsed pages"
    if name.startswith(ALONE):
        return name
    if name.startswith("tests/jupyter/"):
        return "jupyter"
    if name.startswith("tests/exercises/practice/"):
        return "practice tasks"
    widget = re.search(r"\[.*?([A-Z]\w+)", name)
    if name.startswith("tests/widgets/test_every_widget") and widget:
        return f"{file} {widget[1]}"
    return file


def turn_of(name: str) -> int:
    """Return when a test's turn comes: the place of its file in `FIRST`, or after all of them."""
    places = (place for place, start in enumerate(FIRST) if name.startswith(start))
    return next(places, len(FIRST))


class Dealer(LoadScopeScheduling):
    """Gives a worker that has nearly done its tests the next group."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
