"""Fine-tuning: its data, its new tokens, and what a few steps of it show."""

import numpy as np
import pytest
import torch

from plainformer.assistant import (
    COURSE_CHAT,
    EncodedChat,
    FineTuned,
    add_special_tokens,
    answer_question,
    collate_chats,
    encode_chat,
    exact_match,
    fine_tune,
    make_chats,
    story_loss,
)
from plainformer.training.tasks import course_lm

NEW = [token for token in COURSE_CHAT.special_tokens if token != "<sos>"]


def facts_asked(chats: list) -> set[str]:
    return {chat[0]["content"].split(".")[0] for chat in chats}


def test_the_same_seed_makes_the_same_questions_and_no_held_out_fact_is_in_training() -> None:
    learn = make_chats(500, seed=3)
    assert learn == make_chats(500, seed=3) != make_chats(500, seed=4)
    assert not facts_asked(learn) & facts_asked(make_chats(500, held_out=True, seed=3))
    words = {chat[0]["content"].split(". ")[1].split()[0] for chat in learn}
    assert words == {"What", "Where", "Who"}


def test_an_answer_is_about_a_fact_that_was_told() -> None:
    for user, assistant in make_chats(200, n_facts=2, seed=1):
        told = user["content"].replace(".", "").replace("?", "").split()
        assert set(assistant["content"].rstrip(".").split()) <= {*told, "The"}
        assert user["content"].count("found a") == 2


def test_new_tokens_leave_what_the_model_does_with_the_old_ones() -> None:
    lm = course_lm()
    model, tokenizer = add_special_tokens(lm, NEW)
    ids = torch.tensor([tokenizer.encode("your cat is a lovely cat")])
    assert ids[0].tolist() == lm.tokenizer.encode("your cat is a lovely cat")
    with torch.no_grad():
        ours, before = model(ids)[..., :2400], lm.model(ids)
    torch.testing.assert_close(ours, before, atol=1e-4, rtol=1e-4)
    assert story_loss(model, tokenizer) < 1.7
    with pytest.raises(ValueError, match="it has '<sos>' already"):
        add_special_tokens(lm, ["<sos>"])


def test_padding_and_questions_are_no_targets() -> None:
    chats = [
        EncodedChat([5, 6, 7, 8], [False, False, True, True]),
        EncodedChat([1, 2], [False, True]),
    ]
    inputs, targets = collate_chats(chats)
    assert inputs.tolist() == [[5, 6, 7], [1, 2, 0]]
    assert targets.tolist() == [[-100, 7, 8], [2, -100, -100]]


def test_exact_match_is_what_greedy_decoding_writes() -> None:
    tuned = fine_tune(2, steps=25)  # not enough for all answers to be right
    chats = make_chats(30, held_out=True, seed=5)
    written = [answer_question(tuned, chat[0]["content"]) for chat in chats]
    right = np.mean([said == chat[1]["content"] for said, chat in zip(written, chats, strict=True)])
    encoded = [encode_chat(chat, tuned.tokenizer) for chat in chats]
    assert 0 < right < 1
    assert exact_match(tuned.model, encoded) == pytest.approx(right)


def test_a_run_is_repeatable_and_lora_freezes_the_rest() -> None:
    first, second = (fine_tune(1, steps=3) for _ in range(2))
    assert isinstance(first, FineTuned) and first.losses == second.losses
    start, _ = add_special_tokens(course_lm(), NEW)
    weights = dict(first.model.named_parameters())
    for name, p in start.named_parameters():
        found = weights.get(name, weights.get(name.replace(".weight", ".base.weight")))
        assert torch.equal(found, p)


def test_a_rank_that_is_too_large_is_refused_before_any_training() -> None:
    with pytest.raises(ValueError, match="rank must be at most 128"):
        fine_tune(129)
