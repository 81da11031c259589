"""The package as a whole: what importing it costs, and what it must not pull in."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import plainformer

PACKAGE = Path(plainformer.__file__).parent
ROOMS = sorted(
    "plainformer." + path.relative_to(PACKAGE).with_suffix("").as_posix()
    for path in [*PACKAGE.glob("*.py"), *(init.parent for init in PACKAGE.glob("*/__init__.py"))]
    if path.name != "__init__.py"
)


# What anyone can read and run without torch: every file but those that are named for needing it.
WITHOUT_TORCH = sorted(
    "plainformer." + path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".")
    for path in PACKAGE.rglob("*.py")
    if path.stem not in ("__init__", "modules", "experiment")
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
    assert not [name for name in loaded if name.startswith("plainformer") and (
        name.endswith((".modules", ".experiment")))]  # fmt: skip


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
        "    assert str(error) == 'plainformer.inputs.positions.' + said, error\n"
        "else:\n"
        "    raise AssertionError('it was imported')\n"
    )


@pytest.mark.parametrize(
    "room", ["plainformer.inputs", "plainformer.attention", "plainformer.widgets"]
)
def test_a_room_offers_its_names_but_opens_no_chapter(room: str) -> None:
    loaded = modules_after(f"import {room}")
    assert {name for name in loaded if name.startswith("plainformer")} <= {
        "plainformer", "plainformer._lazy", room
    }  # fmt: skip
    module = importlib.import_module(room)
    for name in module.__all__:
        assert name in dir(module)
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonesuch'"):
        module.nonesuch  # noqa: B018 (asking is the test)


@pytest.mark.parametrize(
    "first",
    [
        "",
        "import plainformer.attention.lookup",
        "from plainformer.attention.lookup import lookup",
        "from plainformer.attention import attention",  # which imports softmax.py
        "import plainformer.inputs.positions.sinusoidal",
    ],
)
def test_a_function_called_like_its_chapter_is_the_function(first: str) -> None:
    statement = f"{first}\nfrom plainformer.attention import lookup, softmax\n"
    statement += "from plainformer.inputs.positions import sinusoidal\n"
    modules_after(f"{statement}assert callable(lookup) and callable(softmax)\nsinusoidal(3, 4)")
