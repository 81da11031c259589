"""The task of a language model, as a person runs it: begin, stop, go on, open, and mistakes."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.training.small import SETTINGS
from torch import nn

from plainformer.data import CorpusUnavailable
from plainformer.training import (
    History,
    commands,
    held_out_loss,
    limit_threads,
    load_checkpoint,
    train,
)
from plainformer.training.heads import induction_scores
from plainformer.training.tasks import (
    LanguageModelSettings,
    course_lm,
    course_lm_steps,
    course_lm_stories,
    new_run,
    open_language_model,
    read_corpus,
)
from plainformer.training.tasks.saving import load_weights, quantize_rows, save_int8
from plainformer.training.tasks.settings import read_settings

TINY = SETTINGS["language-model"]


@pytest.fixture
def config(tmp_path):
    """Settings of a run of a second."""
    text = tmp_path / "mine.txt"
    text.write_text("your cat is a lovely cat. a cat is not your dog. " * 60)
    path = tmp_path / "tiny.toml"
    path.write_text(f'text = "{text}"\n{TINY}')
    return path


def run(*arguments) -> int:
    return commands.main(["language-model", *map(str, arguments)])


def test_a_run_leaves_a_model_that_opens_and_says_what_it_is(tmp_path, config):
    assert run("--config", config, "--out", tmp_path / "run") == 0
    found = open_language_model(tmp_path / "run" / "model")
    assert found.history.steps == list(range(1, 7))
    assert found.history.held_out[0][0] == 0
    corpus = read_corpus(LanguageModelSettings(**found.card["settings"]))
    assert found.card["text"]["sha256"] == corpus.sha256
    loss = held_out_loss(found.model, corpus.held_out, 16)
    # The weights were rounded to float16 on their way.
    assert found.card["held_out"]["nats_per_token"] == pytest.approx(loss, abs=2e-3)
    assert found.tokenizer.decode(corpus.train.tolist()).startswith("your cat is a lovely cat")


def test_transformers_opens_the_folder_and_computes_the_same(tmp_path, config):
    transformers = pytest.importorskip("transformers")
    assert run("--config", config, "--out", tmp_path / "run") == 0
    folder = tmp_path / "run" / "model"
    ours = open_language_model(folder)
    theirs = transformers.LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = torch.tensor([ours.tokenizer.encode("a cat is your dog")[:16]])
    with torch.no_grad():
        assert torch.allclose(ours.model(ids), theirs(ids).logits, atol=1e-4)


DOCUMENTS = """
documents = true
held_out = 0.2
repetitions = 0.2
intermediate_checkpoints = 3
weights_dtype = "int8"
"""


@pytest.fixture
def stories(tmp_path):
    """Settings of a run on documents, with everything that the shipped model's has."""
    stories = [f"your cat is a lovely cat.\nDog {i} is not." + " a cat" * i for i in range(40)]
    (tmp_path / "stories.txt").write_text("\n\n".join(stories))
    path = tmp_path / "stories.toml"
    path.write_text(f'text = "{tmp_path / "stories.txt"}"\n{TINY}{DOCUMENTS}')
    return path


def test_documents_begin_with_their_token_and_are_held_out_whole(tmp_path, stories):
    settings = read_settings(LanguageModelSettings, stories)
    corpus = read_corpus(settings)
    tokenizer, (sos,) = corpus.tokenizer, corpus.tokenizer.special_tokens.values()
    documents = (tmp_path / "stories.txt").read_text().split("\n\n")
    for ids, wanted in ((corpus.train, documents[:32]), (corpus.held_out, documents[32:])):
        assert int((ids == sos).sum()) == len(wanted)
        assert ids[0] == sos
        assert tokenizer.decode(ids.tolist()).split("<sos> ")[1:] == wanted
    assert corpus.held_out_bytes == len("\n\n".join(documents[32:]))
    assert tokenizer.tokens("your cat is a lovely cat")[:2] == ["<sos>", " your"]
    batches: Any = new_run(settings, corpus).batches
    begins = np.flatnonzero(corpus.train.numpy() == sos)
    last = begins[np.searchsorted(begins, batches.starts, "right") - 1]
    assert set((batches.starts - last) % settings.context_length) == {0}
    ends = np.append(begins[1:], len(corpus.train))
    every = [i for a, b in zip(begins, ends, strict=True) for i in range(a, b, 16)]
    assert batches.starts.tolist() == [i for i in every if i < len(corpus.train) - 16]
    assert len(batches.starts) > 2 * len(begins)  # documents longer than the context


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_any_blank_line_ends_a_document(tmp_path, stories, ending):
    lines = ["a cat is here", "and there", "", "", " ", "your dog is not a cat", "", ""]
    path = tmp_path / "lines.txt"
    path.write_bytes(ending.join(lines * 20).encode())
    settings = replace(read_settings(LanguageModelSettings, stories), text=str(path))
    corpus = read_corpus(settings)
    sos = corpus.tokenizer.special_tokens["<sos>"]
    assert int((corpus.train == sos).sum() + (corpus.held_out == sos).sum()) == 40
    assert "\r" not in corpus.tokenizer.decode(corpus.train.tolist())
    path.write_bytes(b"one document only " * 90)
    with pytest.raises(ValueError, match=r"got 1 of them and held_out=0\.2"):
        read_corpus(settings)


def test_a_model_in_int8_is_nearly_the_trained_one_and_so_are_its_checkpoints(tmp_path, stories):
    assert run("--config", stories, "--out", tmp_path / "run") == 0
    found = open_language_model(tmp_path / "run" / "model")
    corpus = read_corpus(LanguageModelSettings(**found.card["settings"]))
    exact = new_run(LanguageModelSettings(**found.card["settings"]), corpus)
    load_checkpoint(tmp_path / "run" / "run.safetensors", exact)
    stored = dict(found.model.named_parameters())
    for name, weight in exact.model.named_parameters():
        half_a_step = weight.abs().amax(-1, keepdim=True) / 254
        assert bool(((stored[name] - weight).abs() <= half_a_step * 1.001).all()), name
    kept = sorted((tmp_path / "run" / "checkpoints").iterdir())
    assert [each.stem for each in kept] == ["step-000000", "step-000001", "step-000002"]
    settings = LanguageModelSettings(**found.card["settings"])
    for step, path in enumerate(kept):  # the weights of that very step
        then = new_run(settings, corpus)
        with limit_threads(1):
            train(then, step)
        load_weights(path, found.model)
        for name, weight in then.model.named_parameters():
            stored_then = dict(found.model.named_parameters())[name]
            half_a_step = weight.abs().amax(-1, keepdim=True) / 254
            assert bool(((stored_then - weight).abs() <= half_a_step * 1.001).all()), (step, name)
    text = found.generate("a cat", 9, seed=3)
    assert text == found.generate("a cat", 9, seed=3) != found.generate("a cat", 9, seed=4)
    assert text.startswith("a cat") and len(text) > len("a cat") and "<sos>" not in text
    written = (tmp_path / "run" / "model" / "written.txt").read_text().rstrip("\n").split("\n\n")
    assert written == [each.strip() for each in written] and len(written) <= 64
    strongest = json.loads((tmp_path / "run" / "model" / "strongest.json").read_text())
    most, encode = found.model.config.max_length, found.tokenizer.encode
    raw = (tmp_path / "run" / "model" / "written.txt").read_bytes().decode()  # "\r" stays
    read = [encode(each)[:most] for each in raw.removesuffix("\n").split("\n\n")]
    assert strongest["texts"] == [each for each in read if len(each) > 2]


def test_a_file_of_another_model_is_refused(tmp_path):
    save_int8(tmp_path / "a.safetensors", nn.Linear(3, 2))
    with pytest.raises(ValueError, match=r"weight must be \(2, 4\), and is \(2, 3\)"):
        load_weights(tmp_path / "a.safetensors", nn.Linear(4, 2))
    tensors = load_file(tmp_path / "a.safetensors")
    del tensors["weight.scale"]
    save_file(tensors, tmp_path / "b.safetensors")
    with pytest.raises(ValueError, match=r"weight.scale must be .*, and is absent"):
        load_weights(tmp_path / "b.safetensors", nn.Linear(3, 2))
    with pytest.raises(ValueError, match="weight must be finite"):
        quantize_rows(torch.tensor([[1.0, torch.nan]]))
    (tmp_path / "a.safetensors").write_bytes(b"no")
    with pytest.raises(ValueError, match="must be whole"):
        load_weights(tmp_path / "a.safetensors", nn.Linear(3, 2))


def test_a_run_goes_on_whenever_it_was_stopped(tmp_path, config, monkeypatch):
    """In its first step, before any was saved; and while the model was being written."""
    out = tmp_path / "run"

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(History, "report", stop)
        assert run("--config", config, "--out", out) == 1
    assert run("--config", config, "--out", out, "--resume") == 0
    whole = (out / "model" / "card.json").read_bytes()
    (out / "model" / "card.json").unlink()
    assert run("--config", config, "--out", out, "--resume") == 0
    assert (out / "model" / "card.json").read_bytes() == whole


def test_a_run_does_not_go_on_under_other_settings(tmp_path, config, capsys):
    out = tmp_path / "run"
    assert run("--config", config, "--out", out) == 0
    assert run("--config", config, "--out", out, "--resume", "--seed", 9) == 2
    assert "seed was 0, and is 9 now" in capsys.readouterr().err


def test_a_folder_with_a_run_in_it_is_not_written_over(tmp_path, config, capsys):
    out = tmp_path / "run"
    assert run("--config", config, "--out", out) == 0
    before = (out / "model" / "model.safetensors").read_bytes()
    assert run("--config", config, "--out", out) == 2
    assert "out must be a new folder" in capsys.readouterr().err
    assert (out / "model" / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("stepz = 3", "got 'stepz'"),
        ('steps = "3"', "steps must be of type int"),
        ("dropout = true", "dropout must be of type float"),
        ("n_heads = 3", "n_heads must divide d_model"),
        ("held_out = 1.5", "held_out must be from 0 to 1; got 1.5"),
        ("steps = ", "must be TOML"),
        ("context_length = 5000", "more than context_length=5000 tokens"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, config, capsys, line, words):
    name = line.partition(" ")[0]
    kept = [each for each in config.read_text().splitlines() if not each.startswith(f"{name} ")]
    config.write_text("\n".join([*kept, line]))
    assert run("--config", config, "--out", tmp_path / "run") == 2
    assert words in capsys.readouterr().err


def test_an_empty_text_and_one_in_another_encoding_are_named(tmp_path, config, capsys):
    empty, latin = tmp_path / "empty.txt", tmp_path / "latin.txt"
    empty.write_text("")
    latin.write_bytes("perché ".encode("latin-1") * 900)
    for path, words in ((empty, "text must have characters to train on"), (latin, "UTF-8")):
        assert run("--config", config, "--out", tmp_path / "run", "--text", path) == 2
        assert words in capsys.readouterr().err


def test_course_lm_is_what_its_card_says():
    """The first steps of its training, on the recorded text, give the recorded losses."""
    shipped = course_lm()
    settings = LanguageModelSettings(**shipped.card["settings"])
    try:
        corpus = read_corpus(settings)
    except CorpusUnavailable:
        pytest.skip("needs stories.txt: set PLAINFORMER_DATA to the folder that holds it")
    assert corpus.sha256 == shipped.card["text"]["sha256"]
    assert corpus.tokenizer.merges == shipped.tokenizer.merges
    again = History(settings.name)
    with limit_threads(1):
        train(new_run(settings, corpus), 15, report=again.report)
        loss = held_out_loss(shipped.model, corpus.held_out, settings.context_length)
    # A long history holds the means of several steps: here of 1 to 7, and of 8 to 15.
    assert shipped.history.steps[:2] == [7, 15]
    means = [np.mean(again.loss[:7]), np.mean(again.loss[7:])]
    # Other processors round in another order: far below a thousandth so early in a run.
    assert np.allclose(means, shipped.history.loss[:2], atol=1e-3)
    assert loss == pytest.approx(shipped.card["held_out"]["nats_per_token"], abs=5e-3)
    assert json.dumps(shipped.card)  # plain data


def test_an_induction_head_forms_while_course_lm_is_trained():
    found = {step: induction_scores(course_lm(step).model).max() for step in course_lm_steps()}
    assert max(score for step, score in found.items() if step < 1200) < 0.1
    assert found[2982] > 0.8 and induction_scores(course_lm().model).max() > 0.8
    with pytest.raises(ValueError, match="step must be one of"):
        course_lm(-1)


def test_course_lm_writes_the_stories_that_come_with_it():
    """Not letter by letter, since another processor may draw another token in a close case."""
    trained, stories = course_lm(), course_lm_stories()
    assert len(set(stories)) == 64
    ids = torch.tensor([i for story in stories for i in trained.tokenizer.encode(story)])
    loss = held_out_loss(trained.model, ids, 64)
    assert loss < trained.card["held_out"]["nats_per_token"]  # drawn at a temperature below 1
    assert "<sos>" not in "".join(stories)


def test_a_checkpoint_of_other_settings_is_refused(tmp_path, config):
    assert run("--config", config, "--out", tmp_path / "run") == 0
    settings = LanguageModelSettings(
        **{
            **open_language_model(tmp_path / "run" / "model").card["settings"],
            "d_model": 32,
        }
    )
    other = new_run(settings, read_corpus(settings))
    with pytest.raises(ValueError, match="embedding"):
        load_checkpoint(tmp_path / "run" / "run.safetensors", other)
