"""The package as a whole: what importing it costs, and what it must not pull in."""

import importlib
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import plainformer
import plainformer.widgets
from plainformer.attention import FullyMaskedRowError
from plainformer.classroom.bank.questions import LeftOut
from plainformer.classroom.channel import Closed, TimeUp
from plainformer.classroom.course import CourseError
from plainformer.classroom.judge import Raised
from plainformer.classroom.notebook import NotebookError
from plainformer.classroom.sandbox.limits import OutOfMemory
from plainformer.classroom.wire import ProtocolError
from plainformer.data import CorpusUnavailable
from plainformer.exercises.limit import OutOfTime
from plainformer.training.tasks.running import RunFailed

PACKAGE = Path(plainformer.__file__).parent
ROOMS = sorted(
    "plainformer." + path.relative_to(PACKAGE).with_suffix("").as_posix()
    for path in [*PACKAGE.glob("*.py"), *(init.parent for init in PACKAGE.glob("*/__init__.py"))]
    if path.name != "__init__.py"
)

EVERY_MODULE = sorted(
    found.name for found in pkgutil.walk_packages(plainformer.__path__, "plainformer.")
)

# The packages whose public names stand in a stub beside them.
OFFERING = sorted(
    "plainformer." + stub.parent.relative_to(PACKAGE).as_posix().replace("/", ".")
    for stub in PACKAGE.rglob("__init__.pyi")
)

# What anyone can read and run without torch: every file but those in a folder named modules, those
# of the two layers that train, the experiments on what they trained, and the exercises of the
# capstone, which is written in torch.
WITHOUT_TORCH = sorted(
    "plainformer." + path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
    for path in PACKAGE.rglob("*.py")
    if path.stem != "__init__"
    and "modules" not in path.parts
    and PACKAGE / "training" not in path.parents
    and PACKAGE / "assistant" not in path.parents
    and PACKAGE / "experiments" not in path.parents
    and PACKAGE / "exercises" / "training" / "capstone" not in path.parents
)


def modules_after(statement: str) -> set[str]:
    """The names in sys.modules after the statement has run in a fresh process."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_opens_no_room() -> None:
    loaded = modules_after("import plainformer")
    assert not {"torch", "numpy", "matplotlib", "regex", "anywidget"} & loaded
    assert {name for name in loaded if name.startswith("plainformer")} == {"plainformer"}


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_torch_by_itself(room: str) -> None:
    loaded = modules_after(f"import {room}")
    assert room in loaded
    assert "torch" not in loaded


def test_no_formula_widget_or_exercise_imports_torch_or_a_file_that_does() -> None:
    assert len(WITHOUT_TORCH) > 50
    loaded = modules_after("\n".join(f"import {name}" for name in WITHOUT_TORCH))
    assert set(WITHOUT_TORCH) <= loaded
    assert "torch" not in loaded
    assert not [name for name in loaded if name.startswith("plainformer") and "modules" in name]


def test_without_torch_a_name_that_needs_it_says_so() -> None:
    modules_after(
        "import sys\n"
        "class NoTorch:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch':\n"
        "            raise ModuleNotFoundError('No module named torch', name='torch')\n"
        "sys.meta_path.insert(0, NoTorch())\n"
        "from plainformer.inputs import sinusoidal, apply_rope, alibi_bias, embed\n"
        "sinusoidal(3, 4), apply_rope([[1.0, 0.0]]), alibi_bias(2, 3), embed([0], [[1.0]])\n"
        "try:\n"
        "    from plainformer.inputs import InputEmbedding\n"
        "except ImportError as error:\n"
        "    said = 'InputEmbedding needs torch: pip install \"plainformer[torch]\"'\n"
        "    assert str(error) == 'plainformer.inputs.' + said, error\n"
        "else:\n"
        "    raise AssertionError('it was imported')\n"
    )


# Names


@pytest.mark.parametrize("package", OFFERING)
def test_a_package_offers_its_names_but_opens_no_module(package: str) -> None:
    loaded = modules_after(f"import {package}")
    parents = {package[:i] for i, letter in enumerate(package) if letter == "."}
    assert {name for name in loaded if name.startswith("plainformer")} <= {
        "plainformer._lazy", *parents, package
    }  # fmt: skip
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert name in dir(module)
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="nonesuch"):
        module.nonesuch  # noqa: B018 (asking is the test)


def test_attention_is_imported_without_torch_in_a_module_of_its_own() -> None:
    loaded = modules_after("from plainformer.attention import attention")
    assert "plainformer.attention.self_attention" in loaded
    assert not {"torch", "plainformer.attention.multi_head", "matplotlib"} & loaded


@pytest.mark.parametrize("package", OFFERING)
def test_no_public_name_is_a_modules(package: str) -> None:
    """Python would put the module where the function should be found."""
    module = importlib.import_module(package)
    modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert modules
    assert not modules & set(module.__all__)


def test_import_as_gives_the_module_and_from_gives_the_name_even_after_all_modules() -> None:
    modules_after(
        "import sys, types\n"
        f"for name in {EVERY_MODULE}:\n"
        "    found = {}\n"
        "    exec(f'import {name} as m', found)\n"
        "    assert isinstance(found['m'], types.ModuleType), name\n"
        "    assert found['m'].__name__ == name\n"
        f"for package in {OFFERING}:\n"
        "    for name in sys.modules[package].__all__:\n"
        "        found = {}\n"
        "        exec(f'from {package} import {name}', found)\n"
        "        assert not isinstance(found[name], types.ModuleType), (package, name)\n"
    )


# Errors


ERRORS = [
    FullyMaskedRowError("x[1, 2, :] must have a score above -inf"),
    CorpusUnavailable("put it there"),
    OutOfTime(),
    OutOfTime(still_running=True),
    ProtocolError("a message must be a JSON object"),
    TimeUp(),
    Closed(),
    OutOfMemory(),
    NotebookError("The file is no notebook."),
    CourseError("course.toml, line 3: there is no setting 'x' here"),
    Raised("of the student's"),
    RunFailed("the loss is not finite"),
    LeftOut("its result cannot be written"),
]


def test_every_error_of_the_package_is_tried_below() -> None:
    defined = {
        value
        for name in EVERY_MODULE
        for value in vars(importlib.import_module(name)).values()
        if isinstance(value, type)
        and issubclass(value, BaseException)
        and value.__module__.startswith("plainformer")
    }
    assert defined == {type(error) for error in ERRORS}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling_as_between_processes(error: BaseException) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_checking_one_exercise_does_not_read_the_order_of_all_chapters() -> None:
    """The book runs a page again when a file that it read has changed, as this one often does."""
    opened = subprocess.run(
        [sys.executable, "-c", READER], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    used = {Path(name).name.partition(".")[0] for name in opened if "exercises" in name}
    assert {"registry", "spec", "session"} <= used, "the hook sees what is read"
    assert "order" not in used


READER = """
import sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from plainformer.exercises import check
check("attention.lookup.1", lambda *given: None)
print(*opened, sep="\\n")
"""


def test_the_widgets_are_offered_as_other_names_are() -> None:
    everything: dict[str, object] = {}
    exec("from plainformer.widgets import *", everything)
    names = plainformer.widgets.__all__
    assert set(names) <= set(everything) and set(names) <= set(dir(plainformer.widgets))
    with pytest.raises(AttributeError, match="NoWidget"):
        _ = plainformer.widgets.NoWidget
    with pytest.raises(ImportError, match="no_widget"):
        from plainformer.widgets import no_widget  # noqa: F401
