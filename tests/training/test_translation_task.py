"""The task of a translator, as a person runs it: on the grammar, on files, stopped, and shipped."""

import numpy as np
import pytest
from tests.training.small import SETTINGS

from plainformer.training import History, commands, limit_threads, train
from plainformer.training.tasks import course_translator
from plainformer.training.tasks.translation import (
    TranslationSettings,
    alignment,
    bleu,
    chrf,
    exact_match,
    new_run,
    open_translator,
    read_text,
    token_loss,
)

PAIRS = [
    (f"{a} {b} is {c}", f"{x} {y} è {z}")
    for a, x in (("your", "il tuo"), ("a", "un"), ("the", "il"), ("that", "quel"))
    for b, y in (("cat", "gatto"), ("dog", "cane"), ("book", "libro"), ("boy", "ragazzo"))
    for c, z in (("red", "rosso"), ("new", "nuovo"), ("white", "bianco"))
]


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(f"pairs = 60\n{SETTINGS['translation']}")
    return path


@pytest.fixture
def files(tmp_path):
    """A pair of files, as Moses has them, and a table of the same."""
    english, italian, table = (tmp_path / name for name in ("my.en", "my.it", "my.tsv"))
    english.write_text("\n".join(a for a, _ in PAIRS), encoding="utf-8")
    italian.write_text("\n".join(b for _, b in PAIRS), encoding="utf-8")
    table.write_text("\n".join(map("\t".join, PAIRS)), encoding="utf-8")
    return english, italian, table


def run(*arguments) -> int:
    return commands.main(["translation", *map(str, arguments)])


def test_a_run_leaves_a_translator_that_is_what_its_card_says(tmp_path, config):
    assert run("--config", config, "--out", tmp_path / "run") == 0
    found = open_translator(tmp_path / "run" / "model")
    assert found.history.steps == list(range(1, 7))
    assert found.history.snapshots[-1].sample.startswith("your cat is a lovely cat → ")
    text = read_text(TranslationSettings(**found.card["settings"]))
    assert found.card["text"]["sha256"] == text.sha256
    translations = found.translate([source for source, _ in text.held_out])
    references = [target for _, target in text.held_out]
    assert found.card["held_out"] == {
        "nats_per_token": round(token_loss(found, text.held_out), 4),
        "exact_match": exact_match(found, text.held_out),
        "bleu": round(bleu(translations, references), 2),
        "chrf": round(chrf(translations, references), 2),
    }


def test_two_files_and_a_table_are_the_same_text(tmp_path, config, files):
    english, italian, table = files
    for out, given in (("two", ("--source", english, "--target", italian)),
                       ("one", ("--source", table))):  # fmt: skip
        assert run("--config", config, *given, "--out", tmp_path / out) == 0
    two, one = (open_translator(tmp_path / out / "model") for out in ("two", "one"))
    assert two.card["text"]["sha256"] == one.card["text"]["sha256"]
    assert two.history.loss == one.history.loss
    assert two.card["text"]["pairs_held_out"] == 10
    assert two.card["text"]["pairs_to_train_on"] == len(PAIRS) - 10


def test_no_tested_sentence_is_trained_on_with_another_translation(tmp_path):
    table = tmp_path / "my.tsv"
    table.write_text("\n".join(f"word {i // 3}\tparola {i}" for i in range(90)), encoding="utf-8")
    text = read_text(TranslationSettings(source=str(table), held_out=20))
    assert not {a for a, _ in text.train} & {a for a, _ in text.held_out}
    assert len(text.held_out) == 20 and text.example == text.held_out[0]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["", ""], "is empty"),
        (["a cat", "un gatto"], "must hold more than held_out=10 pairs"),
        (["a cat\na dog", "un gatto"], "must have the same number of lines"),
        (["a cat", "perch\xe9".encode("latin-1")], "expected UTF-8"),
    ],
)
def test_files_that_are_no_good_are_named_and_nothing_is_made(
    tmp_path, config, capsys, lines, words
):
    paths = tmp_path / "bad.en", tmp_path / "bad.it"
    for path, line in zip(paths, lines, strict=True):
        path.write_bytes(line if isinstance(line, bytes) else line.encode())
    out = tmp_path / "run"
    given = ("--source", paths[0], "--target", paths[1])
    assert run("--config", config, *given, "--out", out) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()


def test_a_damaged_folder_is_named(tmp_path, config):
    assert run("--config", config, "--out", tmp_path / "run") == 0
    folder = tmp_path / "run" / "model"
    words = folder / "vocabulary.json"
    whole = words.read_text(encoding="utf-8")
    words.write_text('["il"]')
    with pytest.raises(ValueError, match="must hold a vocabulary of"):
        open_translator(folder)
    words.write_text("[")
    with pytest.raises(ValueError, match="must be JSON"):
        open_translator(folder)
    words.write_text(whole, encoding="utf-8")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(ValueError, match="must be whole"):
        open_translator(folder)


def test_course_translator_is_what_its_card_says():
    """The first steps of its training, on the recorded pairs, give the recorded losses."""
    shipped = course_translator()
    settings = TranslationSettings(**shipped.card["settings"])
    text = read_text(settings)
    assert text.sha256 == shipped.card["text"]["sha256"]
    anew = History(settings.name)
    with limit_threads(1):
        train(new_run(settings, text)[0], 7, report=anew.report)
        loss = token_loss(shipped, text.held_out)
        exact = exact_match(shipped, text.held_out)
    # A point of the record is the mean of two steps: it has at most 2,000.
    recorded, anew = shipped.history, anew.downsampled(4)
    assert anew.steps == recorded.steps[:4] == [1, 3, 5, 7]
    # Other processors round in another order: far below a thousandth so early in a run.
    assert np.allclose(anew.loss, recorded.loss[:4], atol=1e-3)
    assert loss == pytest.approx(shipped.card["held_out"]["nats_per_token"], abs=2e-3)
    # One sentence in 1,000 may be a near tie, which another processor decides otherwise.
    assert exact == pytest.approx(shipped.card["held_out"]["exact_match"], abs=2e-3)
    assert exact >= 0.99
    assert shipped.translate(["your cat is a lovely cat"]) == ["il tuo gatto è un gatto adorabile"]


def test_course_translator_is_small():
    sizes = {"model.safetensors": 1_000_000, "history.json": 200_000}
    from plainformer.training.tasks.saving import CHECKPOINTS

    for name, most in sizes.items():
        assert (CHECKPOINTS / "course_translator" / name).stat().st_size <= most


def test_an_alignment_has_a_row_for_each_place():
    weights = alignment(course_translator(), "your cat", "il tuo gatto")
    assert weights.shape == (2, 4, 4, 2)
    assert np.allclose(weights.sum(-1), 1, atol=1e-5)
