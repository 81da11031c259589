"""Start a course: a folder with settings, a secret, and ten graded exercises as a pattern.

The ten are variations on the book's, with other shapes and conventions, one bug hunt and one
experiment. They are public, since they come with this package: change them, or write your own.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from plainformer.classroom.course import SECRET, SETTINGS, CourseError, new_secret
from plainformer.files import atomic_write

__all__ = ["new_course", "new_exercise"]

TEMPLATE = Path(__file__).parent / "template"
EXERCISE = '''"""What this exercise is about, in a line."""

import numpy as np

from plainformer.exercises.spec import Arrays, Case, Exercise


def {name}(x: np.ndarray) -> np.ndarray:
    """The task in a sentence.

    x: (T,). What else must be known: shapes, limits, what may not be.
    Returns (T,).

    >>> {name}(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return 2 * x


def _draw(rng: np.random.Generator) -> tuple[np.ndarray]:
    return (rng.normal(size=rng.integers(1, 9)).round(2),)


EXERCISE = Exercise(
    id="course.{name}",
    title="{title}",
    reference={name},
    compare=Arrays(),
    cases=(Case((np.array([1.0, 2.0]),), np.array([2.0, 4.0])),),
    generate=_draw,
    hints=("A nudge.", "More than a nudge, and not the solution."),
    mutants={{"What to say to somebody who adds 2.": "2 * x -> 2 + x"}},
    alternates=[lambda x: x + x],
)
'''


def new_course(folder: Path, *, write: bool = True) -> list[str]:
    """Make a course's folder, or only look whether it can be; return the names of its files.

    Raises:
        CourseError: there is something in it already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise CourseError(f"{folder} must be a new folder, or an empty one; it holds something")
    names = [path.relative_to(TEMPLATE) for path in sorted(TEMPLATE.rglob("*"))]
    kept = [str(each) for each in names if each.suffix and "__pycache__" not in each.parts]
    if not write:
        return [*kept, SECRET]
    made = folder.with_name(f".{folder.resolve().name}.part")
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(TEMPLATE, made, ignore=shutil.ignore_patterns("__pycache__"))
    new_secret(made)
    if folder.exists():
        folder.rmdir()
    made.rename(folder)
    return [*kept, SECRET]


def new_exercise(course: Path, name: str, *, write: bool = True) -> Path:
    """Write the skeleton of an exercise into a course's folder; it runs, and proves itself.

    Args:
        course: the folder.
        name: of the function, and of the file.
        write: or only look whether it can be written.

    Raises:
        CourseError: the name is no Python name, or there is such an exercise.
    """
    if not name.isidentifier() or name != name.lower() or name.startswith("_"):
        raise CourseError(f"an exercise's name must be like attend_twice; got {name!r}")
    if not (course / SETTINGS).is_file():
        raise CourseError(f"{course} must be a course's folder, with {SETTINGS}")
    path = course / "exercises" / f"{name}.py"
    if path.exists():
        raise CourseError(f"{path} is there already")
    if not write:
        return path
    path.parent.mkdir(exist_ok=True)
    title = name.replace("_", " ").capitalize()
    atomic_write(path, EXERCISE.format(name=name, title=title))
    return path
