"""Examples, models, training: what a classifier reads, what padding does to it, what it learns."""

import math

import numpy as np
import pytest
import torch
from sklearn import metrics

from plainformer.blocks import TransformerConfig
from plainformer.data import who_did_what
from plainformer.training import train
from plainformer.training.tasks.classification import (
    AverageClassifier,
    EncoderClassifier,
    Example,
    accuracy,
    collate,
    confusion_matrix,
    fit,
    gradient_times_input,
    make_examples,
    make_vocabulary,
    occlusion,
    predict,
)

SENTENCES = who_did_what(900)
HELD = set(sorted({each.animals for each in SENTENCES})[::4])
NAMES = sorted({each.whom for each in SENTENCES})
WORDS = make_vocabulary([each.text for each in SENTENCES if each.animals not in HELD], 100)


def examples(held_out: bool) -> list[Example]:
    some = [each for each in SENTENCES if (each.animals in HELD) == held_out]
    texts, whom = [each.text for each in some], [each.whom for each in some]
    return make_examples(texts, whom, WORDS, NAMES, 24)


READ, UNREAD = examples(False), examples(True)


def encoder(positions="learned", word_dropout=0.0, **options):
    config = TransformerConfig(
        family="encoder", vocab_size=WORDS.vocab_size, d_model=32, d_ff=64, n_heads=4, n_layers=2,
        positions=positions, max_length=24, **options,
    )  # fmt: skip
    return EncoderClassifier(config, len(NAMES), word_dropout=word_dropout)


def average(word_dropout=0.0):
    return AverageClassifier(WORDS.vocab_size, 16, len(NAMES), word_dropout=word_dropout)


@pytest.fixture(params=[average, encoder], ids=["average", "encoder"])
def model(request):
    torch.manual_seed(0)
    return request.param().eval()


# Examples


def test_words_become_ids_and_long_texts_are_cut():
    words = make_vocabulary(["The cat. The dog!"], 5)
    assert words.vocab == {"<unk>": 0, "<pad>": 1, "the": 2, "!": 3, ".": 4}
    (one,) = make_examples(["THE the bird the"], ["b"], words, ["a", "b"], 3)
    assert one == ([2, 2, 0], 1)


def test_a_batch_is_filled_up_with_padding():
    ids, mask, labels = collate(READ[:5])
    assert ids.shape == mask.shape and labels.tolist() == [each.label for each in READ[:5]]
    assert (ids[~mask] == WORDS.vocab["<pad>"]).all()
    assert [row[real].tolist() for row, real in zip(ids, mask, strict=True)] == [
        each.ids for each in READ[:5]
    ]


def test_wrong_examples_are_refused():
    words, names = make_vocabulary(["a cat"], 9), ["x"]
    with pytest.raises(ValueError, match="each text needs a label; got 2 texts and 1"):
        make_examples(["a", "b"], ["x"], words, names, 8)
    with pytest.raises(ValueError, match="label must be one of x; got 'y'"):
        make_examples(["a"], ["y"], words, names, 8)
    with pytest.raises(ValueError, match="texts must have at least one word; got '  '"):
        make_examples(["  "], ["x"], words, names, 8)
    with pytest.raises(ValueError, match="max_length must be 1 or more"):
        make_examples(["a"], ["x"], words, names, 0)
    with pytest.raises(ValueError, match="examples must hold one or more"):
        fit(average, [], 1)


# Models


def test_padding_changes_no_answer(model):
    one, other = Example([5, 6, 7], 0), Example(list(range(2, 22)), 1)
    alone = predict(model, [one])
    torch.testing.assert_close(predict(model, [one, other])[:1], alone)
    ids, mask, _ = collate([one, other])
    for filling in (0, 9):
        refilled = torch.where(mask, ids, filling)
        torch.testing.assert_close(model(refilled, mask)[:1], alone)


def test_predictions_come_in_the_order_of_the_examples(model):
    together = predict(model, READ[:40], batch_size=7)
    one_by_one = torch.cat([predict(model, [each]) for each in READ[:40]])
    torch.testing.assert_close(together, one_by_one)
    model.train()
    predict(model, READ[:3])
    assert model.training


def test_words_are_hidden_in_training_alone():
    torch.manual_seed(0)
    model = average(word_dropout=0.5)
    ids, mask, _ = collate(READ[:9])
    assert not torch.equal(model(ids, mask), model(ids, mask))
    model.eval()
    assert torch.equal(model(ids, mask), model(ids, mask))
    from plainformer.training.tasks.classification.models import drop_words

    model.train()
    many = torch.full((100, 100), 7)
    share = (drop_words(model, many) == 0).double().mean().item()
    assert share == pytest.approx(0.5, abs=0.03)  # its standard deviation is 0.005
    for wrong in (-0.1, 1.0, math.nan):
        with pytest.raises(ValueError, match="word_dropout must be"):
            average(word_dropout=wrong)


def test_the_average_is_torchs_embedding_bag():
    model = average().eval()
    ids, mask, _ = collate(READ[:6])
    bag = torch.nn.functional.embedding_bag(
        torch.cat([torch.tensor(each.ids) for each in READ[:6]]),
        model.embedding.weight,
        offsets=torch.tensor([0, *np.cumsum([len(each.ids) for each in READ[:5]])]),
        mode="mean",
    )
    torch.testing.assert_close(model(ids, mask), model.linear(bag))


# Training


@pytest.mark.parametrize("seed", [0, 1])
def test_without_positions_half_of_the_answers_at_most_are_right(seed):
    """Both of a pair get the same answer, which is right for one of them: 50 %, however trained."""
    model = fit(lambda: encoder(None), READ, 150, peak=5e-3, seed=seed)
    logits = predict(model, UNREAD)
    torch.testing.assert_close(logits[::2], logits[1::2], atol=1e-3, rtol=1e-3)
    assert accuracy(model, UNREAD) <= 0.55


@pytest.mark.parametrize("seed", [0, 1])
def test_with_positions_nearly_all_are_right_also_for_pairs_that_never_met(seed):
    model = fit(encoder, READ, 300, peak=5e-3, seed=seed)
    assert accuracy(model, UNREAD) >= 0.95


def test_the_same_seed_gives_the_same_model_and_leaves_torchs_generator_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    curves = []
    for seed in (0, 0, 1):
        said = []
        fit(lambda: encoder(word_dropout=0.2, dropout=0.1), READ, 6, seed=seed, report=said.append)
        curves.append(said)
    assert curves[0] == curves[1] != curves[2]
    assert torch.equal(torch.rand(3), expected)
    assert train is not None


def test_another_optimizer_and_another_schedule():
    said = []
    fit(
        average, READ, 4, report=said.append, schedule=lambda step: 1.0 / (step + 1),
        optimizer=lambda model: torch.optim.SGD(model.parameters()),
    )  # fmt: skip
    assert [each.learning_rate for each in said] == [1, 1 / 2, 1 / 3, 1 / 4]


# Measures


def test_the_confusion_matrix_is_scikit_learns():
    rng = np.random.default_rng(0)
    true, said = rng.integers(0, 4, size=(2, 200))
    ours = confusion_matrix(true, torch.tensor(said), n_labels=5)
    np.testing.assert_array_equal(ours, metrics.confusion_matrix(true, said, labels=range(5)))
    assert ours.sum() == 200
    assert confusion_matrix([0], [0], 2).tolist() == [[1, 0], [0, 0]]


def test_wrong_labels_are_refused():
    with pytest.raises(ValueError, match=r"predicted must be from 0 to .* got 2 at index \[1\]"):
        confusion_matrix([0, 1], [0, 2], 2)
    with pytest.raises(ValueError, match=r"of one length \(N,\); got \(2,\) and \(1,\)"):
        confusion_matrix([0, 1], [0], 2)


def test_accuracy_counts_what_is_right():
    model = average().eval()
    said = predict(model, READ[:20]).argmax(-1).tolist()
    true = [Example(each.ids, label) for each, label in zip(READ[:20], said, strict=True)]
    assert accuracy(model, true) == 1.0
    wrong = [Example(each.ids, (each.label + 1) % len(NAMES)) for each in true]
    assert accuracy(model, true + wrong) == 0.5


# What an answer rests on


def test_of_an_average_the_shares_add_up_to_the_logit():
    model = average().eval()
    ids, label = READ[0].ids, 2
    logit = predict(model, [Example(ids, 0)])[0, label]
    shares = gradient_times_input(model, ids, label)
    torch.testing.assert_close(shares.sum(), (logit - model.linear.bias[label]).detach())


def test_the_gradient_is_that_of_differences(model):
    model = model.double()
    ids, label, small = READ[0].ids, 1, 1e-6
    shares = gradient_times_input(model, ids, label)
    logit = predict(model, [Example(ids, 0)])[0, label]
    for t in range(len(ids)):

        def shrink(_, __, output, t=t):
            scale = torch.ones(output.shape[1], 1, dtype=output.dtype)
            scale[t] -= small
            return output * scale

        handle = model.embedding.register_forward_hook(shrink)
        less = predict(model, [Example(ids, 0)])[0, label]
        handle.remove()
        assert ((logit - less) / small).item() == pytest.approx(shares[t].item(), abs=1e-5)


def test_a_hidden_token_is_taken_out_alone(model):
    ids, label = READ[0].ids, 1
    falls = occlusion(model, ids, label)
    whole = predict(model, [Example(ids, 0)])[0, label]
    for t in range(len(ids)):
        hidden = [*ids[:t], 0, *ids[t + 1 :]]
        less = predict(model, [Example(hidden, 0)])[0, label]
        torch.testing.assert_close(falls[t], whole - less, atol=1e-5, rtol=1e-4)
