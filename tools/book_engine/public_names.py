"""The public names of the package, read from its source: signature, docstring, where it stands.

Nothing is imported, so torch is not either, and a function that a decorator has wrapped is seen as
it was written. A part's names are those of its ``__init__.pyi``, or of its ``__all__`` where the
part is one file; each is followed from import to import to the file that defines it.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = "src/plainformer"
WIDTH = 77  # characters of code that a column of the book holds

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Name:
    """A public name: its part, the file that defines it, and the definition's own source."""

    part: str
    name: str
    path: Path
    node: Definition
    source: str

    @property
    def anchor(self) -> str:
        """The id of its entry, without a dot: the search looks for it by a selector."""
        return anchor_of(self.part, self.name)

    @property
    def doc(self) -> str:
        """Its docstring, or for a constant the comment on its line or the lines above it."""
        if isinstance(self.node, ast.FunctionDef | ast.ClassDef):
            return ast.get_docstring(self.node) or ""
        lines = self.path.read_text(encoding="utf-8").split("\n")
        beside = re.search(r"  # (.+)$", lines[self.node.lineno - 1])
        if beside and self.node.lineno == self.node.end_lineno:
            return f"{beside[1][0].upper()}{beside[1][1:].rstrip('.')}."
        below = lines[(self.node.end_lineno or self.node.lineno) :]
        if below and below[0].startswith('"""'):
            body = ast.parse("\n".join(below)).body[0]
            if isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant):
                return str(body.value.value)
        comment: list[str] = []
        for line in reversed(lines[: self.node.lineno - 1]):
            if not line.startswith("# "):
                break
            comment.insert(0, line[2:])
        return " ".join(comment)

    @property
    def signature(self) -> str:
        """How it is called, as Python writes it."""
        if isinstance(self.node, ast.FunctionDef):
            return written(self.name, self.node.args, self.node.returns)
        if isinstance(self.node, ast.ClassDef):
            return signature_of_class(self.name, self.path, self.node)
        one_line = "\n" not in self.source and len(self.source) <= WIDTH
        return self.source.split("  #")[0] if one_line else self.name

    @property
    def methods(self) -> list[tuple[str, str]]:
        """Of a class, what it can do and what it has: the signature and the first line of each."""
        if not isinstance(self.node, ast.ClassDef):
            return []
        found = []
        for each in self.node.body:
            if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
                said = (ast.get_docstring(each) or "").split("\n\n")[0]
                is_property = any("property" in ast.unparse(by) for by in each.decorator_list)
                called = each.name if is_property else written(each.name, each.args, None)
                found.append((called, " ".join(said.split())))
        return found


def anchor_of(part: str, name: str) -> str:
    """Return the id of a name's entry.

    >>> anchor_of("attention", "KVCache")
    'attention-KVCache'
    """
    return f"{part}-{name}"


def written(name: str, args: ast.arguments, returns: ast.expr | None) -> str:
    """Return a signature without `self`, on one line if it fits, or one argument a line.

    >>> args = ast.parse("def f(self, T: int, *, like=None): ...").body[0].args
    >>> written("f", args, None)
    'f(T: int, *, like=None)'
    """
    shown = ast.arguments(**{field: getattr(args, field) for field in args._fields})
    if args.args and args.args[0].arg in ("self", "cls"):
        shown.args = args.args[1:]
        shown.defaults = args.defaults[-len(shown.args) :] if shown.args else []
    end = f" -> {ast.unparse(returns)}" if returns is not None else ""
    whole = f"{name}({ast.unparse(shown)}){end}"
    if len(whole) <= WIDTH - 10:
        return whole
    return set_in_lines(name, split_commas(ast.unparse(shown))) + end


def set_in_lines(name: str, arguments: list[str]) -> str:
    """Return a call with an argument on each line, on more than one where it is long."""
    lines = []
    for each in arguments:
        lines += textwrap.wrap(
            f"{each},",
            WIDTH,
            initial_indent="    ",
            subsequent_indent="        ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join([f"{name}(", *lines, ")"])


def split_commas(text: str) -> list[str]:
    """Split at the commas that stand in no bracket.

    >>> split_commas("a: dict[str, int], b=(1, 2), *, c")
    ['a: dict[str, int]', 'b=(1, 2)', '*', 'c']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def signature_of_class(name: str, path: Path, node: ast.ClassDef) -> str:
    """Return how a class is called: by its ``__init__``, its base's, or a dataclass's fields."""
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return written(name, each.args, None)
    fields = [
        ast.unparse(each)
        for each in node.body
        if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_")
    ]
    bases = [ast.unparse(base) for base in node.bases]
    if any("Protocol" in base for base in bases):
        return f"class {name}"
    if not fields:
        for base in bases:
            try:
                where, found = definition(path, base)
            except ValueError:  # it comes from another library
                continue
            if isinstance(found, ast.ClassDef):
                return signature_of_class(name, where, found)
        return f"class {name}"
    whole = f"{name}({', '.join(fields)})"
    return whole if len(whole) <= WIDTH - 10 else set_in_lines(name, fields)


def names_of(root: Path, part: str) -> list[Name]:
    """Return the public names of a part, in the order of the alphabet.

    Raises `ValueError` where a name has no definition.
    """
    folder = root / PACKAGE / part
    if folder.is_dir():
        exported = exports(folder / "__init__.pyi")
        start = folder / "__init__.pyi"
    else:
        start = folder.with_suffix(".py")
        exported = listed(start)
    found = [definition(start, name) for name in exported]
    made = []
    for (path, node), name in zip(found, exported, strict=True):
        lines = path.read_text(encoding="utf-8").split("\n")
        first = min([node.lineno, *(by.lineno for by in getattr(node, "decorator_list", []))])
        source = "\n".join(lines[first - 1 : node.end_lineno])
        made.append(Name(part, name, path, node, source))
    return sorted(made, key=lambda each: each.name.lower())


@cache
def tree(path: Path, changed: int) -> ast.Module:
    """Return the parsed file, read anew only if it changed."""
    return ast.parse(path.read_text(encoding="utf-8"))


def parsed(path: Path) -> ast.Module:
    """Return the parsed file."""
    return tree(path, path.stat().st_mtime_ns)


def exports(path: Path) -> list[str]:
    """Return the names that a stub imports as themselves, which makes them public."""
    return [
        name.name
        for node in parsed(path).body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname == name.name
    ]


def listed(path: Path) -> list[str]:
    """Return the names in a file's ``__all__``."""
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError(f"{path}: it has no __all__")


def definition(path: Path, name: str) -> tuple[Path, Definition]:
    """Return the file that defines a name, and the definition, from a file that has the name."""
    for node in reversed(parsed(path).body):  # the last: those before it are overloads
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return path, node
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return path, node
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name:
            return path, node
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
            for other in files(path, node):
                return definition(other, name)
    raise ValueError(f"{path}: nothing defines {name}")


def files(path: Path, node: ast.ImportFrom) -> Iterator[Path]:
    """Yield the files that an import within the package may mean, the stub first."""
    module = node.module or ""
    if node.level:
        base = path.parents[node.level - 1].joinpath(*module.split("."))
    else:
        root = next(each for each in path.parents if each.name == "plainformer")
        base = root.parent.joinpath(*module.split("."))
    candidates: Iterable[Path] = (
        base / "__init__.pyi",
        base / "__init__.py",
        base.with_suffix(".py"),
    )
    yield from (each for each in candidates if each.is_file())
