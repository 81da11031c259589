"""The sorting task: its prompts, its rewards, sampling, and the ways to choose an answer."""

import pytest
import torch

from plainformer.assistant import (
    answer_log_p,
    compare_choices,
    count_right,
    digit_model,
    digit_prompts,
    is_ascending,
    is_sorted_copy,
    last_digit_of_sum,
    mean_pass_at_k,
    running_sums,
    sample_answers,
    sorted_digits,
    train_on_answers,
)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_same_seed_gives_the_same_prompts_and_no_held_out_one_is_in_training() -> None:
    learn = digit_prompts(5000, generator())
    assert torch.equal(learn, digit_prompts(5000, generator()))
    assert learn.shape == (5000, 6) and (learn[:, 5] == 10).all() and learn[:, :5].max() == 9
    held_out = digit_prompts(2000, generator(), held_out=True)
    assert not set(map(tuple, learn.tolist())) & set(map(tuple, held_out.tolist()))


def test_a_quarter_of_all_prompts_is_held_out() -> None:
    seen = {tuple(each) for each in digit_prompts(200_000, generator()).tolist()}
    held_out = {tuple(each) for each in digit_prompts(200_000, generator(), held_out=True).tolist()}
    assert len(seen) < 75_200 and len(held_out) < 25_200
    assert len(held_out) > 24_000 and not seen & held_out


def test_rewards_and_right_answers() -> None:
    prompts = torch.tensor([[4, 1, 7, 1, 3, 10]])
    assert sorted_digits(prompts).tolist() == [[1, 1, 3, 4, 7]]
    assert running_sums(prompts).tolist() == [[4, 5, 2, 3, 6]]
    assert last_digit_of_sum(prompts).tolist() == [[6]]
    answers = torch.tensor([[[1, 1, 3, 4, 7], [1, 3, 3, 4, 7], [1, 1, 3, 7, 4], [1, 1, 3, 4, 10]]])
    assert is_sorted_copy(prompts, answers).tolist() == [[1, 0, 0, 0]]
    assert is_ascending(prompts, answers).tolist() == [[1, 1, 0, 0]]


def test_sampling_is_from_the_models_probabilities() -> None:
    model = digit_model(1)
    prompts = digit_prompts(2, generator())
    answers = sample_answers(model, prompts, 4000, generator(), length=1)[:, :, 0]
    with torch.no_grad():
        p = model(prompts)[:, -1].softmax(-1)
    counts = torch.stack([each.bincount(minlength=11) for each in answers])
    torch.testing.assert_close(counts / 4000, p, atol=0.03, rtol=0)
    greedy = sample_answers(model, prompts, 1, generator(), length=1, temperature=0.0)
    assert torch.equal(greedy[:, 0, 0], p.argmax(-1))


def test_log_probabilities_are_those_of_sampling_without_a_cache() -> None:
    model = digit_model(1).double()
    prompts = digit_prompts(3, generator())
    answers = sample_answers(model, prompts, 1, generator())[:, 0]
    with torch.no_grad():
        got = answer_log_p(model, prompts, answers)
        for t in range(5):
            before = torch.cat([prompts, answers[:, :t]], dim=1)
            want = model(before)[:, -1].log_softmax(-1)[torch.arange(3), answers[:, t]]
            torch.testing.assert_close(got[:, t], want)


def test_a_few_steps_teach_to_sort_and_choosing_helps() -> None:
    model = train_on_answers(steps=60)
    right = count_right(model, prompts=100, n=16)
    assert torch.equal(right, count_right(model, prompts=100, n=16))
    assert mean_pass_at_k(right, 16, 1) > 0.3
    assert mean_pass_at_k(right, 16, 1) < mean_pass_at_k(right, 16, 4)
    share = compare_choices(model, prompts=100)
    assert share["one sample"] < share["majority vote"] < share["checked"]
    assert share["most likely"] <= share["checked"]


def test_training_is_repeatable() -> None:
    first, second = (train_on_answers(steps=2, seed=3) for _ in range(2))
    for a, b in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: digit_prompts(0, generator()), "count must be"),
        (lambda: sample_answers(digit_model(), digit_prompts(1, generator()), 0, generator()), "n"),
        (
            lambda: sample_answers(
                digit_model(), digit_prompts(1, generator()), 1, generator(), temperature=-1.0
            ),
            "temperature must be 0 or more",
        ),
    ],
)
def test_mistakes_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
