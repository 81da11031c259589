"""Build the package's wheel into ``dist/``, and check its contents and its size.

    python tools/build_wheel.py              # build a wheel, and keep it if it passes the checks
    python tools/build_wheel.py FILE.whl     # check an existing wheel

A wheel passes if it contains every file of ``src/plainformer``, byte for byte, and nothing else
apart from the wheel's own metadata; if ``LICENSES.md`` has a row for each file; and if it is at
most 3 MB without the checkpoints. A wheel that fails is not kept, and ``dist/`` stays as it was.

The wheel is neither installed nor imported here; the tests in ``tests/wheel/`` do that.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PACKAGE = "plainformer"
MOST = 3_000_000  # the size limit in bytes, without checkpoints
KINDS = {  # what the package ships, by suffix; any other file is in its folder by mistake
    ".py": "Python",
    ".pyi": "Python",
    ".typed": "Python",  # py.typed tells type checkers to use the package's annotations
    ".js": "widgets",
    ".css": "widgets",
    ".gz": "texts",
    ".toml": "settings",
    ".md": "notes",
    ".json": "checkpoints",
    ".safetensors": "checkpoints",
    ".txt": "checkpoints",
}
LISTED = re.compile(r"^\| (`.*?`) \|", re.MULTILINE)  # a row of the table in LICENSES.md


class WheelError(Exception):
    """Raised if a wheel cannot be built or read; the message says what to do."""


def build(folder: Path, root: Path = ROOT) -> Path:
    """Build the wheel of the project in `root` into an empty `folder`; return its path."""
    if find_spec("hatchling") is None:
        raise WheelError("hatchling is not installed: run `make wheel`, or use the Python in .venv")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    done = subprocess.run(
        [*command, "--directory", str(folder)], cwd=root, capture_output=True, text=True
    )
    if done.returncode:
        raise WheelError(f"the wheel was not built:\n{(done.stderr or done.stdout).strip()}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def files_of_package(root: Path) -> Iterator[Path]:
    """Yield the files of the package, without caches and hidden files."""
    for path in sorted((root / "src" / PACKAGE).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.name[0] != ".":
            yield path


def problems(wheel: Path, root: Path = ROOT) -> list[str]:
    """Return a sentence for each problem of a wheel; an empty list if it passes."""
    with _opened(wheel) as opened:
        names = [name for name in opened.namelist() if not name.endswith("/")]
        content = {name: opened.read(name) for name in names}
    ours = {
        path.relative_to(root / "src").as_posix(): path.read_bytes()
        for path in files_of_package(root)
    }
    package = {name for name in names if name.partition("/")[0] == PACKAGE}
    info = {name for name in names if re.match(rf"{PACKAGE}-[^/]+\.dist-info/", name)}
    said = [
        _named("the wheel lacks", ours.keys() - package, "build it again"),
        _named("the wheel has", set(names) - info - ours.keys(), "not a file of the package"),
        _named(
            "differs from src:", {n for n in package & ours.keys() if content[n] != ours[n]},
            "build the wheel again from this tree",
        ),
        _named(
            "the wheel has", {n for n in package if Path(n).suffix not in KINDS},
            "the package has no files of this kind: remove it from src, or add it to KINDS",
        ),
        *_licences(package, info, root),
    ]  # fmt: skip
    light = sum(sizes(wheel).values()) - sizes(wheel)["checkpoints"]
    if light > MOST:
        said.append(f"the wheel has {light:,} bytes without checkpoints; at most {MOST:,} allowed")
    return [sentence for sentence in said if sentence]


def sizes(wheel: Path) -> Counter[str]:
    """Return the compressed size in bytes of each kind of file in a wheel."""
    found: Counter[str] = Counter()
    with _opened(wheel) as opened:
        for entry in opened.infolist():
            inside = entry.filename.startswith(f"{PACKAGE}/")
            kind = KINDS.get(Path(entry.filename).suffix, "other") if inside else "metadata"
            found[kind] += entry.compress_size
        # The zip format's own overhead: every name is stored twice.
        found["metadata"] += wheel.stat().st_size - sum(found.values())
    return found


def _opened(wheel: Path) -> zipfile.ZipFile:
    if not wheel.is_file():
        raise WheelError(f"there is no file {wheel}")
    try:
        opened = zipfile.ZipFile(wheel)
        damaged = opened.testzip()
    except zipfile.BadZipFile:
        damaged = wheel.name
    if damaged:
        raise WheelError(f"{wheel.name} is damaged (at {damaged}): download or build it again")
    return opened


def _named(before: str, names: set[str], then: str) -> str:
    """Return a sentence that names the first of some files, or "" if there are none."""
    first, others = min(names, default=""), len(names) - 1
    return first and f"{before} {first}{f' and {others} more' if others else ''}: {then}"


def listed(heading: str, root: Path = ROOT) -> list[str]:
    """Return the file patterns in the table below a heading of LICENSES.md.

    >>> listed("In the built site")[0]
    'pf/formulas.woff2'
    """
    text = (root / "LICENSES.md").read_text(encoding="utf-8")
    table = text.split(f"## {heading}\n")[-1].split("\n## ")[0]
    return [one for cell in LISTED.findall(table) for one in re.findall(r"`(.+?)`", cell)]


def _licences(package: set[str], info: set[str], root: Path) -> list[str]:
    """Return a sentence about the rows that LICENSES.md lacks, its idle rows, and lost metadata."""
    patterns = listed("In the wheel", root)
    unlisted = {n for n in package if not any(fnmatchcase(n, one) for one in patterns)}
    idle = {one for one in patterns if not any(fnmatchcase(n, one) for n in package | info)}
    needed = {"licenses/LICENSE", "licenses/LICENSES.md", "METADATA", "RECORD", "WHEEL"}
    return [
        _named("LICENSES.md has no row for", unlisted, "add one that says where it comes from"),
        _named("LICENSES.md lists", idle, "the wheel has no such file"),
        _named("the wheel lacks", needed - {n.partition("/")[2] for n in info}, "build it again"),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if the wheel fails a check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheel", nargs="?", type=Path, help="check this wheel and build none")
    wheel = parser.parse_args(arguments).wheel
    try:
        if wheel:
            return _report(wheel)
        DIST.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=DIST, prefix=".building-") as folder:
            new = build(Path(folder))
            if _report(new):
                return 1
            print(f"Wheel: {new.replace(DIST / new.name)}")
    except WheelError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    return 0


def _report(wheel: Path) -> int:
    """Print the size of a wheel and its problems; return 1 if it has any."""
    found = problems(wheel)
    weights = sizes(wheel)
    print(f"{wheel.name}: {sum(weights.values()):,} bytes")
    for kind, weight in weights.most_common():
        print(f"  {weight:>9,}  {kind}")
    light = sum(weights.values()) - weights["checkpoints"]
    print(f"  {light:>9,}  without the checkpoints (limit {MOST:,})")
    for sentence in found:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
