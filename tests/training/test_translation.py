"""The translation task: batches of pairs, a loss over words, and what a translator writes."""

from functools import partial

import pytest
import torch

from plainformer.training import Vocabulary, cross_entropy, train
from plainformer.training.tasks.settings import read_settings
from plainformer.training.tasks.translation import (
    GRAMMAR,
    TranslationSettings,
    Translator,
    collate,
    exact_match,
    grammar_pairs,
    new_run,
    read_text,
    token_loss,
    translation_loss,
    translation_run,
)
from plainformer.training.tasks.translation.experiment import (
    short_pairs,
    train_translator,
    wide_loss,
)
from plainformer.training.tasks.translation.translator import EOS, PAD, SOS

PAIRS = [
    ("your cat is a lovely cat", "il tuo gatto è un gatto adorabile"),
    ("she is brave", "è coraggiosa"),
    ("luca opens the wardrobe", "luca apre l'armadio"),
    ("the eggs are white", "le uova sono bianche"),
]


@pytest.fixture(scope="module")
def learned() -> Translator:
    """Four sentences, learned by heart."""
    run, translator = translation_run(PAIRS, 60, d_model=32, n_layers=1, batch_size=4)
    train(run, 60)
    return translator


def test_what_was_learned_by_heart_is_said_again(learned):
    assert exact_match(learned, PAIRS) == 1
    assert learned.translate([]) == []


def test_a_sentence_is_translated_alike_alone_and_in_company(learned):
    english = [source for source, _ in PAIRS]
    assert learned.translate(english) == [learned.translate([each])[0] for each in english]


def test_whole_targets_at_once_say_what_one_word_at_a_time_says(learned):
    model = learned.model.eval()
    source, inputs, _ = collate([(learned.vocabulary.encode(a), []) for a, _ in PAIRS[:1]])
    ids = torch.tensor([[SOS, *learned.vocabulary.encode(PAIRS[0][1])]])
    at_once = model(source, ids)
    for t in range(ids.shape[1]):
        assert torch.allclose(model(source, ids[:, : t + 1])[0, -1], at_once[0, t], atol=1e-4)
    assert inputs.tolist() == [[SOS]]


def test_translation_leaves_the_model_in_the_mode_it_had(learned):
    learned.model.train()
    learned.translate(["she is brave"])
    assert learned.model.training
    learned.model.eval()


def test_beams_find_what_is_at_least_as_likely(learned):
    english = [source for source, _ in PAIRS]
    assert learned.translate(english, num_beams=4) == learned.translate(english)


def test_a_smoothed_loss_is_that_of_the_package(learned):
    encode = learned.vocabulary.encode
    source, inputs, targets = collate([(encode(a), encode(b)) for a, b in PAIRS])
    logits = learned.model(source, inputs, source_mask=source != PAD).detach()
    ours = translation_loss(learned.model, (source, inputs, targets), label_smoothing=0.1)
    theirs = cross_entropy(logits, targets, ignore_index=PAD, label_smoothing=0.1)
    assert torch.allclose(ours, theirs, atol=1e-5)


def test_a_blank_text_in_a_batch_has_an_empty_translation_and_spoils_no_other(learned):
    english = [source for source, _ in PAIRS]
    with_blanks = ["", *english[:2], "  ", *english[2:], "\n"]
    plain = learned.translate(english)
    wanted = ["", *plain[:2], "", *plain[2:], ""]
    assert learned.translate(with_blanks) == wanted
    assert learned.translate(with_blanks, num_beams=2) == wanted
    assert learned.translate(["", " "]) == ["", ""]


def test_words_may_run_out(learned):
    [said] = learned.translate(["your cat is a lovely cat"], max_new_tokens=3)
    assert said == "il tuo gatto"


def test_targets_are_inputs_shifted_by_one():
    source, inputs, targets = collate([([4, 5, 6], [7]), ([4], [8, 9])])
    assert source.shape == (2, 3) and inputs.shape == targets.shape == (2, 3)
    for read, say, length in zip(inputs.tolist(), targets.tolist(), (1, 2), strict=True):
        assert read[0] == SOS and say[length] == EOS
        assert read[1 : length + 1] == say[:length]
        assert set(read[length + 1 :] + say[length + 1 :]) <= {PAD}


def test_padding_changes_the_loss_only_where_it_counts(learned):
    encode = learned.vocabulary.encode
    batch = collate([(encode(a), encode(b)) for a, b in PAIRS])
    plain = translation_loss(learned.model, batch)
    ignored = wide_loss(learned.model, batch, width=20, ignore_padding=True)
    counted = wide_loss(learned.model, batch, width=20, ignore_padding=False)
    assert torch.allclose(plain, ignored, atol=1e-5)
    assert (counted - plain).abs() > 0.01
    each = [translation_loss(learned.model, collate([(encode(a), encode(b))])) for a, b in PAIRS]
    words = [len(encode(b)) + 1 for _, b in PAIRS]
    mean = sum(n * loss for n, loss in zip(words, each, strict=True)) / sum(words)
    assert torch.allclose(plain, mean, atol=1e-4)  # a mean over words, not over sentences


def test_the_same_seed_learns_the_same():
    def losses(seed: int) -> list[float]:
        return train_translator(PAIRS, 5, seed=seed).loss

    assert losses(0) == losses(0) != losses(1)


def test_counted_padding_makes_the_number_on_screen_too_low():
    """The chapter's experiment, made small."""
    pairs = short_pairs(600)
    careful = train_translator(pairs, 30)
    careless = train_translator(pairs, 30, width=24, ignore_padding=False)
    assert careless.loss[-1] < 0.6 * careful.loss[-1]
    assert token_loss(careless.translator, pairs[:50]) > 1.5 * careless.loss[-1]


def test_a_loss_of_ones_own_is_used():
    asked = []

    def watched(*args, **options):
        asked.append(options)
        return translation_loss(*args)

    run, _ = translation_run(PAIRS, 1, loss=partial(watched, note=1))
    train(run, 1)
    assert asked == [{"note": 1}]


def test_one_vocabulary_serves_both_languages():
    _, translator = translation_run(PAIRS, 1)
    known = Vocabulary.build([side for pair in PAIRS for side in pair])
    assert translator.vocabulary.vocab == known.vocab
    assert translator.model.config.vocab_size == known.vocab_size


def test_the_grammars_settings_are_read_and_trained_by():
    assert read_settings(TranslationSettings, GRAMMAR) == TranslationSettings(
        name="course-translator"
    )
    small = read_settings(
        TranslationSettings, GRAMMAR, pairs=50, steps=2, batch_size=8, d_model=16, n_layers=1
    )
    run, translator = new_run(small, read_text(small))
    train(run, small.steps)
    assert run.step == 2 and run.batches.batch_size == 8
    assert 0 <= exact_match(translator, grammar_pairs(5, seed=1, split="test")) <= 1


def test_real_pairs_begin_as_torchs_transformer_and_the_grammar_as_before(tmp_path):
    """So that a race between the two on real sentences is one between equals."""
    for side, name in enumerate(("my.en", "my.it")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in PAIRS))
    small = {"held_out": 1, "d_model": 16, "n_layers": 1, "dropout": 0.1, "vocab_size": 280}
    files = {"source": str(tmp_path / "my.en"), "target": str(tmp_path / "my.it")}
    for chosen, biased in ((files, True), ({}, False)):
        settings = TranslationSettings(**small, **chosen, pairs=3)
        _, translator = new_run(settings, read_text(settings))
        assert translator.model.config.activation_dropout == (0.1 if biased else 0)
        for layer in (*translator.model.layers, *translator.model.decoder_layers):
            assert bool(layer.feed_forward.w_up.bias.any()) == biased


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"pairs": 0}, "pairs must be"),
        ({"peak": 0.0}, "peak must be above 0; got 0.0"),
        ({"label_smoothing": 1.5}, "label_smoothing must be from 0 to 1; got 1.5"),
        ({"seed": -1}, "seed must be"),
        ({"target": "my.it"}, "source must be a file"),
    ],
)
def test_settings_that_cannot_be_are_named(changes, says):
    with pytest.raises(ValueError, match=says):
        TranslationSettings(**changes)
