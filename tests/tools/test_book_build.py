"""A real build of a toy book: what runs, what runs again, and what makes the build fail."""

from pathlib import Path

import pytest
from tests.tools.toy_book import HEAD, PAGES, ToyBook


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> ToyBook:
    """The toy book, built once."""
    book = ToyBook(tmp_path_factory.mktemp("book"))
    first = book.build()
    assert first.status == 0, first.said
    assert first.ran == {"alpha", "beta", "both"}
    return book


def test_outputs_stand_on_the_pages(book: ToyBook) -> None:
    assert "alpha is first" in book.read("alpha")
    assert "one two" in book.read("alpha")
    assert "first and second" in book.read("both")


def test_nothing_changed_nothing_runs(book: ToyBook) -> None:
    again = book.build()
    assert again.status == 0, again.said
    assert again.ran == set()


def test_a_change_runs_exactly_the_pages_that_use_it(book: ToyBook) -> None:
    """The heart of the engine: a module, then the other, then what is not a module."""
    book.write("book/toy/alpha.py", "NAME = 'erste'\n")
    book.write("book/beta.md", PAGES["beta"].replace("the other", "another"))
    book.write("book/toy/gamma.py", "NAME = 'nobody imports this'\n")
    outcome = book.build()
    assert (outcome.status, outcome.ran) == (0, {"alpha", "both"}), outcome.said
    assert "alpha is erste" in book.read("alpha")
    assert "erste and second" in book.read("both")
    assert "uses another module" in book.read("beta"), "a word of prose runs nothing"

    book.write("book/toy/beta.py", "NAME = 'zweite'  # and a remark\n")
    outcome = book.build()
    assert (outcome.status, outcome.ran) == (0, {"beta", "both"}), outcome.said
    assert "and a remark" in book.read("beta"), "the included source is shown anew"
    assert "erste and zweite" in book.read("both")

    book.write("book/words.txt", "three four\n")
    book.write("book/beta.md", PAGES["beta"].replace("print('beta is'", "print('beta was'"))
    outcome = book.build()
    assert (outcome.status, outcome.ran) == (0, {"alpha", "beta"}), "a data file, a cell"
    assert "three four" in book.read("alpha")
    assert "beta was zweite" in book.read("beta")


def test_a_cell_that_raises_fails_the_build_and_the_next_build_goes_on(book: ToyBook) -> None:
    """Beta runs well beside the failing pages; the next build shows its new output."""
    good = (book.folder / "book/toy/alpha.py").read_text(encoding="utf-8")
    book.write("book/toy/alpha.py", "raise OSError('the disk is on fire')\n")
    book.write("book/toy/beta.py", "NAME = 'fresh'\n")
    book.write("book/beta.md", PAGES["beta"])
    outcome = book.build()
    assert outcome.status != 0
    assert "book/alpha: code cell 1 of 1 (line 15) raised OSError: the disk is on fire" in (
        outcome.said
    )
    assert "book/both: code cell 1 of 1" in outcome.said, "one failure does not hide another"
    assert "Traceback" in outcome.said
    book.write("book/toy/alpha.py", good)
    outcome = book.build()
    assert (outcome.status, outcome.ran) == (0, {"alpha", "both"}), outcome.said
    assert "beta is fresh" in book.read("beta")
    assert "fresh" in book.read("both")


def test_a_warning_fails_this_build_and_the_next_alike(book: ToyBook) -> None:
    stamp = book.folder / "_build" / "book.stamp"
    stamp.write_text("what make book writes")
    book.write("book/plain.md", PAGES["plain"] + "\nSee {ref}`what-is-not-there`.\n")
    assert book.build().status != 0
    assert not stamp.exists(), "make book must not call these pages good"
    assert book.build().status != 0, "a failed build does not become good by being repeated"
    book.write("book/plain.md", PAGES["plain"])
    assert book.build().status == 0


def test_faults_of_a_page_fail_the_build(book: ToyBook) -> None:
    """Also where they come out of a cell, which is where Sphinx does not look."""
    faults = {
        '<img src="_static/favicon.svg">': "no alternative text: <img",
        '<script src="https://cdn.example/a.js"></script>': "loads https://cdn.example/a.js",
        '<a href="nowhere.html">x</a>': "link nowhere.html: there is no such file",
        '<a href="alpha.html#nowhere">x</a>': "link alpha.html#nowhere: there is no such anchor",
    }
    shown = f"from IPython.display import HTML\nHTML({''.join(faults)!r})"
    cell = f"```{{code-cell}} python\n{shown}\n```\n"
    prose = "# Plain\n\nA page with faults in what a cell shows.\n\n"
    book.write("book/plain.md", HEAD + prose + cell)
    outcome = book.build()
    book.write("book/plain.md", PAGES["plain"])
    assert outcome.status != 0
    for said in faults.values():
        assert f"book/plain.html: {said}" in outcome.said


def test_a_page_that_left_the_book_leaves_the_site(book: ToyBook) -> None:
    assert (book.html / "book/plain.html").is_file()
    (book.folder / "book/plain.md").unlink()
    toc = (book.folder / "_toc.yml").read_text(encoding="utf-8")
    book.write("_toc.yml", toc.replace("  - file: book/plain\n", ""))
    outcome = book.build()
    assert outcome.status == 0, outcome.said
    assert not (book.html / "book/plain.html").exists()


def test_pages_with_equal_cells_have_outputs_of_their_own(tmp_path: Path) -> None:
    """Here they differ by their folders; and by what came or went there since."""
    look = "import pathlib\nprint(open('here.txt').read(), *sorted(pathlib.Path('d').glob('*')))\n"
    look += "try:\n    print('open', open('option.txt').read())\nexcept OSError:\n    print('shut')"
    text = (
        HEAD + "# Where\n\nThis page shows what lies in its folder, and another does the same.\n\n"
    )
    text += f"```{{code-cell}} python\n{look}\n```\n"
    pages = {"index": PAGES["index"], "one": text, "sub/one": text}
    book = ToyBook(tmp_path, pages)
    for name, words in (("here", "outer"), ("sub/here", "inner"), ("d/1", ""), ("sub/d/2", "")):
        book.write(f"book/{name}.txt", words)
    outcome = book.build()
    assert outcome.status == 0, outcome.said
    assert "outer d/1.txt\nshut" in book.read("one")
    assert "inner d/2.txt\nshut" in book.read("sub/one")

    book.write("book/sub/here.txt", "innermost")
    book.write("book/sub/d/3.txt", "")
    outcome = book.build()
    assert (outcome.status, outcome.said.count(" will run: ")) == (0, 1), outcome.said
    assert "outer d/1.txt\nshut" in book.read("one")
    assert "innermost d/2.txt d/3.txt\nshut" in book.read("sub/one")

    book.write("book/option.txt", "sesame")
    outcome = book.build()
    assert (outcome.status, outcome.said.count(" will run: ")) == (0, 1), outcome.said
    assert "outer d/1.txt\nopen sesame" in book.read("one")
    assert "innermost d/2.txt d/3.txt\nshut" in book.read("sub/one")
