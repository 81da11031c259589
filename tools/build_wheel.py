"""Build the package's wheel into ``dist/`` and look into it: what is there, and what it weighs.

    python tools/build_wheel.py              # build a wheel, and keep it if it is in order
    python tools/build_wheel.py FILE.whl     # look into one that is there

In order means: every file of ``src/plainformer`` is in it, byte for byte, and nothing else but what
a wheel says about itself; ``LICENSES.md`` has a line for each file; without the checkpoints it
weighs at most 3 MB. A wheel that is not in order is not kept: ``dist/`` stays as it was.

It reads no code in the wheel and does not install it: ``tests/wheel/`` does.
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
MOST = 3_000_000  # bytes of a wheel without its checkpoints
KINDS = {  # what the package ships, by suffix; anything else was left in its folder by mistake
    ".py": "Python",
    ".pyi": "Python",
    ".typed": "Python",  # py.typed: the types in the files are meant for others, too
    ".js": "widgets",
    ".css": "widgets",
    ".gz": "texts",
    ".toml": "settings",
    ".md": "notes",
    ".json": "checkpoints",
    ".safetensors": "checkpoints",
}
LISTED = re.compile(r"^\| (`.*?`) \|", re.MULTILINE)  # a line of the table in LICENSES.md


class WheelError(Exception):
    """A wheel that cannot be built or read, with what to do in a sentence."""


def build(folder: Path, root: Path = ROOT) -> Path:
    """Build the wheel of the project in `root` into an empty `folder`; return its path."""
    if find_spec("hatchling") is None:
        raise WheelError("hatchling is not installed: run this with the course's own .venv")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    done = subprocess.run(
        [*command, "--directory", str(folder)], cwd=root, capture_output=True, text=True
    )
    if done.returncode:
        raise WheelError(f"the wheel was not built:\n{(done.stderr or done.stdout).strip()}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def files_of_package(root: Path) -> Iterator[Path]:
    """Yield every file of the package that is no dropping of Python, an editor or a system."""
    for path in sorted((root / "src" / PACKAGE).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.name[0] != ".":
            yield path


def problems(wheel: Path, root: Path = ROOT) -> list[str]:
    """Return what is wrong with a wheel, a sentence each; nothing where it is in order."""
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
        _named("the wheel lacks", ours.keys() - package, "build it anew"),
        _named("the wheel has", set(names) - info - ours.keys(), "it is not the package's"),
        _named(
            "not as in src:", {n for n in package & ours.keys() if content[n] != ours[n]},
            "build it anew from this tree",
        ),
        _named(
            "the wheel has", {n for n in package if Path(n).suffix not in KINDS},
            "no kind of file that the package ships: take it out of src, or name it in KINDS",
        ),
        *_licences(package, info, root),
    ]  # fmt: skip
    light = sum(sizes(wheel).values()) - sizes(wheel)["checkpoints"]
    if light > MOST:
        said.append(f"without checkpoints the wheel weighs {light:,} bytes; at most {MOST:,}")
    return [sentence for sentence in said if sentence]


def sizes(wheel: Path) -> Counter[str]:
    """Return how many bytes of a wheel each kind of file takes up, compressed."""
    found: Counter[str] = Counter()
    with _opened(wheel) as opened:
        for entry in opened.infolist():
            inside = entry.filename.startswith(f"{PACKAGE}/")
            kind = KINDS.get(Path(entry.filename).suffix, "other") if inside else "about itself"
            found[kind] += entry.compress_size
        # What the zip file itself needs: a line for each name, twice.
        found["about itself"] += wheel.stat().st_size - sum(found.values())
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
        raise WheelError(f"{wheel.name} is damaged (at {damaged}): fetch or build it anew")
    return opened


def _named(before: str, names: set[str], then: str) -> str:
    """Return a sentence about some files that names the first; an empty one about none."""
    first, others = min(names, default=""), len(names) - 1
    return first and f"{before} {first}{f' and {others} more' if others else ''}: {then}"


def listed(heading: str, root: Path = ROOT) -> list[str]:
    """Return the files that the table below a heading of LICENSES.md lists, ``*`` for any letters.

    >>> listed("In the built site")[0]
    'pf/formulas.woff2'
    """
    text = (root / "LICENSES.md").read_text(encoding="utf-8")
    table = text.split(f"## {heading}\n")[-1].split("\n## ")[0]
    return [one for cell in LISTED.findall(table) for one in re.findall(r"`(.+?)`", cell)]


def _licences(package: set[str], info: set[str], root: Path) -> list[str]:
    """Return what the list of licences lacks, and what it lists that is not there."""
    patterns = listed("In the wheel", root)
    unlisted = {n for n in package if not any(fnmatchcase(n, one) for one in patterns)}
    idle = {one for one in patterns if not any(fnmatchcase(n, one) for n in package | info)}
    needed = {"licenses/LICENSE", "licenses/LICENSES.md", "METADATA", "RECORD", "WHEEL"}
    return [
        _named("LICENSES.md has no line for", unlisted, "say where it is from"),
        _named("LICENSES.md lists", idle, "the wheel has no such file"),
        _named("the wheel lacks", needed - {n.partition("/")[2] for n in info}, "build it anew"),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 where the wheel is not in order."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheel", nargs="?", type=Path, help="look into this one; build none")
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
    """Print what a wheel weighs and what is wrong with it; return 1 where something is."""
    found = problems(wheel)
    weights = sizes(wheel)
    print(f"{wheel.name}: {sum(weights.values()):,} bytes")
    for kind, weight in weights.most_common():
        print(f"  {weight:>9,}  {kind}")
    light = sum(weights.values()) - weights["checkpoints"]
    print(f"  {light:>9,}  all but the checkpoints (at most {MOST:,})")
    for sentence in found:
        print(f"error: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
