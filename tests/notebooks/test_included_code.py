"""The functions and classes that pages show: no line is cut off by the column."""

import ast

import pytest
from tests.notebooks.committed import ROOT
from tests.notebooks.samples import make_book

from notebook_engine.blocks import Directive, parse
from notebook_engine.index import LITERAL, Book

WIDEST = 77  # characters; a page cuts off what is longer, and a reader has to scroll


def included(blocks, page):
    """Yield every literalinclude, also those in boxes, folds and solutions."""
    for block in blocks:
        if not isinstance(block, Directive):
            continue
        if block.name in ("literalinclude", "listing"):
            yield block
        elif block.name not in LITERAL:
            yield from included(parse(block.body, page.shown, block.body_line), page)


def shown_objects(root):
    """Return the file, the name and the directive of every function or class that a page shows."""
    book = Book(root)
    found = set()
    for page in book.pages.values():
        for block in included(page.blocks, page):
            if "pyobject" in block.options:
                folder = root if block.argument.startswith("/") else page.path.parent
                path = (folder / block.argument.lstrip("/")).resolve()
                shown = path.relative_to(root.resolve())
                found.add((shown, block.options["pyobject"], block.name))
    return sorted(found)


def lines_of(path, name, directive):
    """Return the number and the text of each line that is shown of a function or class.

    Decorators are, and of a `listing` the docstring is not.
    """
    source = path.read_text(encoding="utf-8")
    node = ast.parse(source)
    for part in name.split("."):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        named = [one for one in node.body if isinstance(one, kinds) and one.name == part]
        node = named[-1]  # after overloads, as Sphinx takes it
    first = min(one.lineno for one in (node, *node.decorator_list))
    lines = source.split("\n")[first - 1 : node.end_lineno]
    hidden = range(0)
    if directive == "listing" and ast.get_docstring(node) is not None:
        hidden = range(node.body[0].lineno, node.body[0].end_lineno + 1)
    return [(number, line) for number, line in enumerate(lines, first) if number not in hidden]


def too_wide(root):
    """Return "file:line: length characters" for each line that a page would cut off."""
    wide = {
        (path.as_posix(), number, len(line))
        for path, name, directive in shown_objects(root)
        for number, line in lines_of(root / path, name, directive)
        if len(line) > WIDEST
    }
    return [f"{path}:{number}: {length} characters" for path, number, length in sorted(wide)]


def test_every_line_that_a_page_shows_fits_its_column():
    shown = shown_objects(ROOT)
    assert any("exercises" in path.parts for path, _, _ in shown)  # in solutions
    assert any("." in name for _, name, _ in shown)  # methods
    wide = too_wide(ROOT)
    assert not wide, f"at most {WIDEST} characters fit on a page:\n" + "\n".join(wide)


@pytest.mark.parametrize("around", ["%s", ":::{qa} Why?\n%s\n:::", "::::{solution} x\n%s\n::::"])
@pytest.mark.parametrize(("name", "line"), [("twice", 9), ("Box", 14), ("Box.open", 14)])
def test_a_line_too_wide_is_named_wherever_the_page_shows_it(tmp_path, around, name, line):
    include = f"```{{literalinclude}} /src/thing/box.py\n:pyobject: {name}\n```"
    make_book(tmp_path, {"inputs/page": f"# T\n\n{around % include}\n"})
    source = tmp_path / "src" / "thing" / "box.py"
    lines = source.read_text(encoding="utf-8").split("\n")
    lines[2] += "  # " + "x" * WIDEST  # LIMIT, which no page shows
    lines[line - 1] = lines[line - 1].ljust(WIDEST, "#")
    source.write_text("\n".join(lines), encoding="utf-8")
    assert too_wide(tmp_path) == []
    lines[line - 1] += "#"
    source.write_text("\n".join(lines), encoding="utf-8")
    assert too_wide(tmp_path) == [f"src/thing/box.py:{line}: {WIDEST + 1} characters"]
