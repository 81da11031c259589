"""What a person has who installed the wheel, far from the checkout: data, types, and no torch."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.installed import Installed

import plainformer

ROOT = Path(__file__).resolve().parents[2]


def said_by(environment: Installed, code: str) -> str:
    """Run a program that must succeed; return what it printed."""
    done = environment.run(code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def error_of(environment: Installed, code: str) -> str:
    """Run a program that must fail; return its last line."""
    done = environment.run(code)
    assert done.returncode != 0, done.stdout
    return done.stderr.strip().splitlines()[-1]


def test_the_checkout_is_out_of_sight(installed: Installed, bare: Installed) -> None:
    for environment in (installed, bare):
        code = "import json, sys, plainformer; print(json.dumps([plainformer.__file__, sys.path]))"
        file, path = json.loads(said_by(environment, code))
        assert Path(file).is_relative_to(environment.packages)
        assert str(ROOT / "src") not in path
    found = "from importlib.util import find_spec; print(find_spec('torch'))"
    assert said_by(bare, found) == "None"


def test_the_version_is_the_same_wherever_it_stands(installed: Installed) -> None:
    code = (
        "import plainformer; from importlib.metadata import version;"
        "print(plainformer.__version__, version('plainformer'))"
    )
    assert said_by(installed, code).split() == [plainformer.__version__] * 2
    assert installed.wheel.name == f"plainformer-{plainformer.__version__}-py3-none-any.whl"


# Whatever stands in no folder called modules and is not of the two layers that train.
EVERYTHING = """
import importlib, pkgutil, plainformer
names = [m.name for m in pkgutil.walk_packages(plainformer.__path__, "plainformer.",
                                               onerror=lambda name: None)]
opened = 0
for name in names:
    if "modules" in name.split(".") or name.startswith(
        ("plainformer.training", "plainformer.exercises.training.capstone",
         "plainformer.assistant.fine_tuning", "plainformer.assistant.lora",
         "plainformer.assistant.digits", "plainformer.assistant.more_samples",
         "plainformer.assistant.reinforcement", "plainformer.assistant.attribution",
         "plainformer.assistant.interventions", "plainformer.assistant.induction",
         "plainformer.assistant.superposition", "plainformer.assistant.sparse_autoencoder",
         "plainformer.assistant.long_context",
         "plainformer.experiments.")
    ):
        continue
    importlib.import_module(name)
    opened += 1
from plainformer.widgets.kit.front_end import bundle, views
print(opened, sum(len(bundle(f"{name}/view")) > 1000 for name in views()), len(views()))
"""


def test_without_torch_all_that_needs_none_works_on_what_the_wheel_asks_for(
    bare: Installed,
) -> None:
    opened, drawn, views = map(int, said_by(bare, EVERYTHING).split())
    assert opened > 150
    assert drawn == views > 20


NEEDS = 'needs torch: pip install "plainformer[torch]"'


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "from plainformer.attention import MultiHeadAttention",
            f"ImportError: plainformer.attention.MultiHeadAttention {NEEDS}",
        ),
        (
            "from plainformer.training.tasks import course_lm",
            f"ImportError: plainformer.training.tasks.course_lm {NEEDS}",
        ),
        (
            "from plainformer.assistant import fine_tune",
            f"ImportError: plainformer.assistant.fine_tune {NEEDS}",
        ),
        (
            "from plainformer.exercises import check; check('training.capstone.1', print)",
            "ModuleNotFoundError: the exercises of training.capstone need torch: "
            'pip install "plainformer[torch]"',
        ),
        (
            "from plainformer.training.commands import main;"
            "raise SystemExit(main(['language-model', '--out', 'x']))",
            f"error: plainformer.training.tasks.RunFailed {NEEDS}",
        ),
    ],
    ids=["layer", "checkpoint", "fine-tuning", "exercise", "command"],
)
def test_without_torch_what_needs_it_says_so(bare: Installed, code: str, said: str) -> None:
    assert error_of(bare, code) == said


def test_every_checkpoint_opens(installed: Installed) -> None:
    code = """
from plainformer.training.experiment import recorded_scaling
from plainformer.training.tasks import course_lm, course_translator, recorded_capstone
print(course_lm().card["name"], course_translator().translate(["your cat is a lovely cat"])[0])
print(recorded_capstone().snapshots[-1].step, bool(recorded_scaling()))
"""
    said = said_by(installed, code).split("\n")
    assert said == ["course-lm il tuo gatto è un gatto adorabile", "800 True"]


@pytest.mark.parametrize(
    ("lost", "code", "said"),
    [
        (
            "checkpoints", "from plainformer.training.tasks import course_lm; course_lm()",
            "FileNotFoundError: plainformer was installed without checkpoints/course_lm",
        ),
        (
            "widgets/kit/kit.js", "from plainformer.widgets import BPEMerges",
            "FileNotFoundError: plainformer was installed without widgets/kit/kit.js",
        ),
        (
            "inputs/__init__.pyi", "from plainformer.inputs import embed",
            "ImportError: plainformer.inputs was installed without __init__.pyi",
        ),
    ],
    ids=["checkpoint", "script", "stub"],
)  # fmt: skip
def test_without_its_data_it_says_to_install_it_again(
    installed: Installed, tmp_path: Path, lost: str, code: str, said: str
) -> None:
    whole, part = installed.packages / "plainformer", tmp_path / "plainformer"
    shutil.copytree(whole, part, ignore=shutil.ignore_patterns("__pycache__"))
    (shutil.rmtree if (part / lost).is_dir() else Path.unlink)(part / lost)
    last = error_of(installed, f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}")
    assert last.startswith(said)
    assert "again, with pip's option --force-reinstall" in last


TYPED = """
from plainformer.inputs.tokenization.bpe import BPETokenizer

tokens: list[int] = BPETokenizer.train("a cat", 300).encode("a cat")
wrong: str = BPETokenizer.train("a cat", 300).encode("a cat")
"""


def test_a_type_checker_sees_its_types(bare: Installed, tmp_path: Path) -> None:
    program = tmp_path / "typed.py"
    program.write_text(TYPED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir=mypy_cache",
         f"--python-executable={bare.python}", program.name],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    (wrong,) = [line for line in done.stdout.splitlines() if "error:" in line]
    assert wrong.startswith("typed.py:5:") and '"list[int]"' in wrong, done.stdout
