"""What a step reads: every place of a text, every example once an epoch, and again after a stop."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.training import ExampleBatches, TextBatches, pad_batch


def test_targets_are_the_inputs_one_token_on_and_all_places_come():
    batches = TextBatches(range(12), context_length=4, batch_size=3, seed=1)
    begun = set()
    for _ in range(60):
        inputs, targets = batches.next_batch()
        assert inputs.shape == targets.shape == (3, 4)
        assert bool((targets == inputs + 1).all())  # for the text counts
        begun |= set(inputs[:, 0].tolist())
    assert begun == set(range(8))  # the last begins where four tokens and one more are left


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.integers(1, 7), st.booleans())
def test_each_example_comes_once_in_an_epoch(lengths, batch_size, sort):
    batches = ExampleBatches(
        list(enumerate(lengths)),
        batch_size,
        collate=lambda examples: tuple(examples),
        length_of=(lambda example: example[1]) if sort else None,
    )
    for _ in range(2):
        count = -(-len(lengths) // batch_size)
        epoch = [batches.next_batch() for _ in range(count)]
        assert sorted(i for batch in epoch for i, _ in batch) == list(range(len(lengths)))


def test_examples_of_like_length_stand_together_and_their_order_is_not_by_length():
    batches = ExampleBatches(range(100), 10, collate=tuple, length_of=lambda n: n)
    epoch = [batches.next_batch() for _ in range(10)]
    assert all(max(batch) - min(batch) == 9 for batch in epoch)
    assert [min(batch) for batch in epoch] != sorted(min(batch) for batch in epoch)


@pytest.mark.parametrize("stop", [0, 1, 4, 5, 11])
def test_after_a_stop_the_batches_that_would_have_come_do(stop):
    def makers():
        yield TextBatches(range(50), 4, 2, seed=3)
        yield ExampleBatches(range(9), 2, collate=tuple, length_of=lambda n: n % 4, seed=3)

    for batches, again in zip(makers(), makers(), strict=True):
        for _ in range(stop):
            batches.next_batch()
        state = json.loads(json.dumps(batches.state_dict()))
        wanted = [batches.next_batch() for _ in range(12)]
        again.load_state_dict(state)
        for left, right in zip(wanted, [again.next_batch() for _ in range(12)], strict=True):
            assert all(
                torch.as_tensor(a).equal(torch.as_tensor(b))
                for a, b in zip(left, right, strict=True)
            )


def test_a_state_of_other_batches_is_refused_and_nothing_moves():
    text = TextBatches(range(50), 4, 2)
    few, many = (ExampleBatches(range(n), 2, collate=tuple) for n in (4, 9))
    for ours, theirs in [(few, many), (many, few), (few, text), (text, few)]:
        before = ours.state_dict()
        with pytest.raises(ValueError, match="state must be of"):
            ours.load_state_dict(theirs.state_dict())
        assert ours.state_dict() == before


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: TextBatches([1, 2, 3], 3, 1),
            r"ids must be \(N,\), more than context_length=3 tokens; got \(3,\)",
        ),
        (lambda: TextBatches([], 3, 1), "ids must be"),
        (lambda: TextBatches([[1, 2]], 1, 1), "ids must be"),
        (lambda: ExampleBatches([], 2, collate=tuple), "examples must hold one or more"),
        (lambda: pad_batch([[1], []], 0), "none of them empty"),
        (lambda: pad_batch([], 0), "one or more"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_pieces_begin_only_where_they_may():
    batches = TextBatches(range(40), 4, 3, seed=1, starts=[0, 7, 35])
    begun = {i for _ in range(30) for i in batches.next_batch()[0][:, 0].tolist()}
    assert begun == {0, 7, 35}


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ([], r"got \[\]"),
        ([[1], [2]], r"got \[\[1\]"),
        ([-1], r"from 0 to 35, .* got \[-1\]"),
        ([3, 36], r"got \[ 3 36\]"),
    ],
)
def test_a_start_without_a_whole_piece_is_refused(starts, said):
    with pytest.raises(ValueError, match=f"starts must be .*{said}"):
        TextBatches(range(40), 4, 3, starts=starts)


@given(st.integers(3, 40), st.floats(0, 1), st.integers(0, 9))
def test_the_asked_share_of_pieces_repeats_itself(T, share, seed):
    """The text counts, so a piece that does not go on counting is a repetition."""
    batches = TextBatches(range(100), T, 200, seed, repetitions=share)
    inputs, targets = batches.next_batch()
    texts = torch.cat([inputs, targets[:, -1:]], dim=1)
    counts = (texts.diff(dim=1) == 1).all(dim=1)
    for text in texts[~counts]:
        assert any(text[p:].equal(text[:-p]) for p in range(1, T // 2 + 1))
    expected = 200 * share
    assert abs((~counts).sum() - expected) <= 6 * (expected * (1 - share)) ** 0.5 + 1


def test_repetitions_are_a_share():
    with pytest.raises(ValueError, match=r"repetitions must be from 0 to 1; got 1\.5"):
        TextBatches(range(40), 4, 3, repetitions=1.5)


def test_the_shortest_pieces_repeat_as_well():
    inputs, targets = TextBatches(range(40), 1, 50, repetitions=1.0).next_batch()
    assert bool((inputs == targets).all())
