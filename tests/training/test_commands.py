"""The commands as a person uses them: train, stop, resume, extend, and use what was trained."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.training.small import SETTINGS

from plainformer.training import History, SubwordVocabulary, commands
from plainformer.training.tasks import (
    LanguageModelTask,
    evaluation_steps,
    open_classifier,
    open_language_model,
    open_translator,
    running,
)

SENTENCE = "your cat is a lovely cat. a cat is not your dog. "


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text(SENTENCE * 60)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> tuple[Path, Path]:
    """Sentences with words that occur only once, and with umlauts."""
    english, german = tmp_path / "my.en", tmp_path / "my.de"
    english.write_text("".join(f"the dog number {i}  is lovely.\n" for i in range(60)))
    german.write_text("".join(f"Der Hund Nummer {i} ist schön (sehr)!\n" for i in range(60)))
    return english, german


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "my.csv"
    rows = [f'"the cat, number {i}, purrs",animal' for i in range(40)]
    rows += [f"the car number {i} is parked,thing" for i in range(40)]
    path.write_text("\n".join(["text,label", *rows]) + "\n")
    return path


@pytest.fixture
def run(tmp_path: Path):
    """Run a command with small settings."""

    def call(task: str, *arguments: object, settings: str | None = None) -> int:
        if settings := SETTINGS.get(task, "") if settings is None else settings:
            config = tmp_path / f"{task}.toml"
            config.write_text(settings)
            arguments = ("--config", config, *arguments)
        return commands.main([task, *map(str, arguments)])

    return call


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in (folder / "model").iterdir()}


# Resume


def test_resuming_with_a_changed_text_is_refused_and_says_what_changed(run, tmp_path, text, capsys):
    out = tmp_path / "run"
    assert run("language-model", "--text", text, "--out", out) == 0
    before = files(out)
    # As long as before, so that only its hash tells.
    text.write_text((SENTENCE * 60).replace("lovely", "lively", 1))
    assert run("language-model", "--text", text, "--out", out, "--resume") == 2
    said = capsys.readouterr().err
    assert "--resume needs the data that the run began with, but sha256 was" in said
    assert "characters" not in said and files(out) == before
    text.write_text(SENTENCE * 61)
    assert run("language-model", "--text", text, "--out", out, "--resume") == 2
    assert "characters was 2940, and is 2989 now; sha256 was" in capsys.readouterr().err


def test_resuming_with_changed_pairs_is_refused(run, tmp_path, pairs, capsys):
    given = ("--source", pairs[0], "--target", pairs[1], "--out", tmp_path / "run")
    assert run("translation", *given) == 0
    pairs[1].write_text(pairs[1].read_text().replace("Hund", "Hand"))
    assert run("translation", *given, "--resume") == 2
    assert "the data that the run began with, but sha256" in capsys.readouterr().err


@pytest.fixture
def data(text, pairs, table):
    """The options of each task that name its data."""
    return {
        "language-model": ("--text", text),
        "translation": ("--source", pairs[0], "--target", pairs[1]),
        "classification": ("--data", table),
    }


@pytest.mark.parametrize("task", SETTINGS)
def test_a_resumed_run_is_an_uninterrupted_one(run, tmp_path, data, monkeypatch, task):
    """With dropout, and with more steps than a saved curve has points, which are then means."""
    monkeypatch.setattr("plainformer.training.history.MAX_POINTS", 8)
    monkeypatch.setattr(running, "SAVED_EVERY", 5)
    settings = SETTINGS[task].replace("dropout = 0.0", "dropout = 0.3")
    given = (*data[task], "--steps", 30)
    assert run(task, *given, "--out", tmp_path / "whole", settings=settings) == 0
    real = History.report

    def stop(self, progress):
        if progress.step == 23:
            raise KeyboardInterrupt
        real(self, progress)

    given = (*given, "--out", tmp_path / "two")
    with monkeypatch.context() as patched:
        patched.setattr(History, "report", stop)
        assert run(task, *given, settings=settings) == 1
    assert not (tmp_path / "two" / "model").exists()
    assert run(task, *given, "--resume", settings=settings) == 0
    assert files(tmp_path / "two") == files(tmp_path / "whole")
    history = History.from_json((tmp_path / "two/model/history.json").read_text())
    assert len(history.steps) <= 8 and history.steps[-1] == 30


def test_two_runs_that_begin_in_one_folder_do_not_mix(run, tmp_path, text, capsys, monkeypatch):
    """The second begins while the first reads its text, so both find the folder empty."""
    out, second_is_in = tmp_path / "run", threading.Event()
    real = running._claim
    codes = []

    def claim(folder, resume, settings):
        if threading.current_thread() is threading.main_thread():
            other.start()
            other.join()
        else:
            second_is_in.set()
        real(folder, resume, settings)

    def begin_another() -> None:
        more = ("--text", text, "--out", out, "--seed", 5)
        codes.append(run("language-model", *more))

    other = threading.Thread(target=begin_another)
    monkeypatch.setattr(running, "_claim", claim)
    assert run("language-model", "--text", text, "--out", out) == 2
    assert codes == [0] and second_is_in.is_set()
    assert "another run has begun in" in capsys.readouterr().err
    assert json.loads((out / "settings.json").read_text())["seed"] == 5


def test_more_steps_extend_a_run(run, tmp_path, text, capsys):
    out = tmp_path / "run"
    more = ("--text", text, "--out", out)
    assert run("language-model", *more) == 0
    assert "continues after" not in capsys.readouterr().out
    assert run("language-model", *more, "--resume", "--steps", 9) == 0
    assert "the run continues after step 6 of 9\n" in capsys.readouterr().out
    found = open_language_model(out / "model")
    assert found.history.steps == list(range(1, 10))
    assert found.card["settings"]["steps"] == 9
    assert [step for step, _ in found.history.held_out][-1] == 9
    # Without --steps, the run keeps the number that it has now.
    assert run("language-model", *more, "--resume") == 0
    assert open_language_model(out / "model").card["settings"]["steps"] == 9
    assert run("language-model", *more, "--resume", "--steps", 5) == 2
    assert "--steps must be 9 or more" in capsys.readouterr().err


def test_a_full_disk_breaks_a_run_off_and_names_the_file(run, tmp_path, text, capsys, monkeypatch):
    real, saves = os.fsync, []

    def fill_up(descriptor: int) -> None:
        saves.append(descriptor)
        if len(saves) > 3:  # after the history, the first checkpoint and the next history
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr("plainformer.files.os.fsync", fill_up)
    monkeypatch.setattr(running, "SAVED_EVERY", 2)
    out = tmp_path / "run"
    assert run("language-model", "--text", text, "--out", out) == 1
    said = capsys.readouterr().err
    assert f"No space left on device: '{out / 'run.safetensors'}'" in said and "--resume" in said
    monkeypatch.undo()
    assert run("language-model", "--text", text, "--out", out, "--resume") == 0


# Use


def test_a_language_model_is_described_and_can_be_sampled(run, tmp_path, text, capsys):
    out = tmp_path / "run"
    assert run("language-model", "--text", text, "--out", out) == 0
    said = capsys.readouterr().out
    for words in (
        "2,940 characters",
        "from a vocabulary of ",
        "model: ",
        "held out: nats per token ",
        "sample: The",
        f"the model is in {out / 'model'}",
        f"python -m plainformer.training sample --model {out / 'model'} --prompt",
        "from plainformer.training.tasks import open_language_model",
    ):
        assert words in said
    assert run("sample", "--model", out / "model", "--prompt", "a cat", "--tokens", 3) == 0
    sampled = capsys.readouterr().out
    assert sampled.startswith("a cat")
    assert sampled == open_language_model(out / "model").generate("a cat", 3) + "\n"
    assert run("sample", "--model", out / "model", "--prompt", "") == 2
    assert "prompt must have from 1 to 15 tokens" in capsys.readouterr().err
    assert run("sample", "--model", tmp_path) == 2
    assert "a trained model must be a folder with a card.json" in capsys.readouterr().err


def test_real_pairs_are_translated_without_unknown_words_and_come_back_exactly(
    run, tmp_path, pairs, capsys
):
    out = tmp_path / "run"
    given = ("--source", pairs[0], "--target", pairs[1], "--out", out)
    assert run("translation", *given) == 0
    said = capsys.readouterr().out
    for words in (
        "pairs: 60 read, 0 dropped, 10 held out, 50 to train on",
        "BPE tokens; 0.00% of those in held-out sentences are unknown",
        ", BLEU ",
        ", chrF ",
        "translate --model",
    ):
        assert words in said
    translator = open_translator(out / "model")
    assert isinstance(translator.vocabulary, SubwordVocabulary)
    for line in (*pairs[0].read_text().splitlines(), *pairs[1].read_text().splitlines(), "Ω ≠ 猫"):
        ids = translator.vocabulary.encode(line)
        assert translator.vocabulary.decode(ids) == line
        assert translator.vocabulary.unk_id not in ids
    assert {"bleu", "chrf", "exact_match", "nats_per_token"} == set(translator.card["held_out"])


def test_words_are_still_a_choice_for_real_pairs(run, tmp_path, pairs, capsys):
    given = ("--source", pairs[0], "--target", pairs[1], "--out", tmp_path / "run")
    assert run("translation", *given, "--tokenizer", "words") == 0
    said = capsys.readouterr().out
    assert " words; " in said and " 0.00% of" not in said  # numbers that occur once are unknown


def test_sentences_are_translated_from_the_command_line_and_from_standard_input(
    run, capsys, monkeypatch
):
    assert run("translate", "your cat is a lovely cat", "the books are red") == 0
    assert capsys.readouterr().out == "il tuo gatto è un gatto adorabile\ni libri sono rossi\n"

    class Lines:
        def read(self) -> str:
            return "your cat\n\nthe book is red\n"

    monkeypatch.setattr("sys.stdin", Lines())
    assert run("translate", "--beams", 2) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "" and lines[2] == "il libro è rosso"  # the blank line stays blank


def test_a_classifier_is_trained_on_a_table_and_classifies(run, tmp_path, table, capsys):
    out = tmp_path / "run"
    given = ("--data", table, "--out", out)
    assert run("classification", *given) == 0
    said = capsys.readouterr().out
    for words in (
        "texts: 80 read, 16 held out, 64 to train on",
        "labels: animal (40), thing (40)",
        "words; ",
        "accuracy 1.0",
        "classify --model",
    ):
        assert words in said
    classifier = open_classifier(out / "model")
    assert classifier.card["held_out"]["accuracy"] == 1.0
    texts = ["the cat purrs", "the car is parked"]
    assert [label for label, _ in classifier.classify(texts)] == ["animal", "thing"]
    assert classifier.classify([]) == []
    assert classifier.probabilities(texts).sum(-1).tolist() == pytest.approx([1, 1])
    assert run("classify", "--model", out / "model", *texts) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [label for label, _ in lines] == ["animal", "thing"]
    assert all(0.5 < float(p) <= 1 for _, p in lines)


# Mistakes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "must have a column 'text', named in its first row; it has none"),
        ("a,b\nx,y\n", "must have a column 'text', named in its first row; it has 'a', 'b'"),
        ("text,label\na cat,\n", "line 2: the text has no label"),
        ("text,label\na cat,animal\n", "texts of at least two labels; got 1 texts"),
        ("text,label\na cat,x\na dog,y\na hen,z\n", "has none, because too few texts have it"),
    ],
)
def test_a_table_that_is_no_good_is_named(run, tmp_path, capsys, content, words):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    given = ("--data", path, "--out", tmp_path / "run")
    assert run("classification", *given, settings="held_out = 0.4") == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("language-model --text FOLDER", "folder is a folder; expected an ordinary file"),
        (f"language-model --text {os.devnull}", "is a device or a pipe; expected an ordinary file"),
        ("language-model --text nowhere.txt", "nowhere.txt"),
        ("language-model --seed -1", "seed must be 0 or more; got -1"),
        ("language-model --config FOLDER", "is a folder; expected an ordinary file"),
        ("language-model --config nowhere.toml", "there is no file nowhere.toml"),
        ("language-model --steps 0", "steps must be 1 or more"),
        ("language-model --resume", "--resume needs a run"),
        ("language-model --threads 0", "threads must be 1 or more"),
        ("translation --source FOLDER", "is a folder; expected an ordinary file"),
        ("translation --source FILE --target FOLDER", "is a folder; expected an ordinary file"),
        ("translation --source nowhere.en", "there is no file nowhere.en"),
        ("translation --target my.it", "source must be a file"),
        ("classification --data FOLDER", "is a folder; expected an ordinary file"),
        (f"classification --data {os.devnull}", "is a device or a pipe; expected an ordinary file"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_made(run, tmp_path, text, capsys, arguments, words):
    (tmp_path / "folder").mkdir()
    arguments = arguments.replace("FOLDER", str(tmp_path / "folder")).replace("FILE", str(text))
    assert run(*arguments.split(), "--out", tmp_path / "run") == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "run" / "model").exists()


def test_an_option_of_another_task_is_not_taken_for_a_longer_one(run, tmp_path, text, capsys):
    with pytest.raises(SystemExit):
        run("classification", "--text", text, "--out", tmp_path / "run")
    assert "unrecognized arguments: --text" in capsys.readouterr().err


def test_only_a_run_that_is_stopped_advises_to_resume(run, tmp_path, text, capsys, monkeypatch):
    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "train", stop)
    out = tmp_path / "run"
    assert run("language-model", "--text", text, "--out", out) == 1
    assert "stopped; the same command with --resume" in capsys.readouterr().err
    monkeypatch.setattr(commands, "_sample", stop)
    assert commands.main(["sample"]) == 1
    assert capsys.readouterr().err == "stopped\n"


def test_a_negative_seed_of_a_sample_is_named(capsys):
    assert commands.main(["sample", "--seed", "-1"]) == 2
    assert "seed must be 0 or more; got -1" in capsys.readouterr().err


def test_a_folder_for_downloads_that_does_not_exist_is_named(run, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PLAINFORMER_DATA", str(tmp_path / "gone"))
    assert run("language-model", "--text", "tinyshakespeare", "--out", tmp_path / "run") == 2
    assert "PLAINFORMER_DATA must be a folder" in capsys.readouterr().err


def test_an_out_that_is_a_file_is_named(run, tmp_path, text, capsys):
    assert run("language-model", "--text", text, "--out", text) == 2
    assert "out must be a folder; " in capsys.readouterr().err


# Evaluation


def test_an_evaluation_reads_a_fixed_number_of_batches(run, tmp_path, monkeypatch):
    """Ten times the text does not take ten times as long."""
    read: list[int] = []
    real = LanguageModelTask.__init__

    def counting(self, settings):
        real(self, settings)
        self.model.register_forward_hook(lambda model, inputs, _: read.append(len(inputs[0])))

    monkeypatch.setattr(LanguageModelTask, "__init__", counting)
    monkeypatch.setattr("plainformer.training.tasks.language_model_saving.MAX_BATCHES", 2)
    counts = []
    for times in (600, 6_000):
        path = tmp_path / f"{times}.txt"
        path.write_text(SENTENCE * times)
        read.clear()
        out = tmp_path / str(times)
        assert run("language-model", "--text", path, "--out", out) == 0
        full = open_language_model(out / "model").card["text"]["tokens_held_out"] // 16
        counts.append(sum(read) - full)  # the card is about the whole of the held-out text
    assert abs(counts[0] - counts[1]) < 40
    assert len(evaluation_steps(6)) == 6


def test_help_needs_no_torch():
    code = "import sys; sys.argv[1:] = ['--help']\n"
    code += (
        "import runpy\ntry:\n    runpy.run_module('plainformer.training', run_name='__main__')\n"
    )
    code += (
        "except SystemExit as end:\n    assert not end.code\nassert 'torch' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for command in ("language-model", "translation", "classification", "sample", "translate"):
        assert command in done.stdout
