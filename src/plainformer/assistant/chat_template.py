"""Chat templates: a conversation as one text, and the tokens of it that the loss sees.

A model continues one sequence of tokens, so a conversation has to become such a sequence. A chat
template puts a header before each message, which names its role, and a footer after it. Special
tokens in headers and footers mark the boundaries, and because a message's own text is never
searched for them, nobody can end a turn by typing them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import array_api_compat

from plainformer.arrays import check_flag
from plainformer.inputs.tokenization import BPETokenizer
from plainformer.inputs.tokenization.special_tokens import cut_at_special_tokens
from plainformer.shapes import Array, Bool, Int, checked

__all__ = [
    "CHATML", "COURSE_CHAT", "LLAMA_2", "ZEPHYR", "ChatTemplate", "EncodedChat", "encode_chat",
    "mask_targets", "render_chat",
]  # fmt: skip

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class ChatTemplate:
    """What a template writes around the messages of each role.

    Args:
        name: what the template is called.
        headers: the text before a message, for each role.
        footers: the text after a message, for each role. The assistant's footer is what tells a
            program that the answer is complete, so the model has to learn to write it.
        special_tokens: those parts of the headers and footers that are single tokens.
        start: the text before the first message.
        generation_prompt: what is appended when it is the assistant's turn.
        strip: whether white space around a message is removed.
        system_in_user: whether a system message belongs to the first user message, as in Llama 2,
            so that this message has no header of its own.
    """

    name: str
    headers: Mapping[str, str]
    footers: Mapping[str, str]
    special_tokens: tuple[str, ...]
    start: str = ""
    generation_prompt: str = ""
    strip: bool = False
    system_in_user: bool = False


ROLES = ("system", "user", "assistant")

COURSE_CHAT = ChatTemplate(
    name="course",
    headers={role: f"<|{role}|>" for role in ROLES},
    footers=dict.fromkeys(ROLES, "<|end|>"),
    special_tokens=("<sos>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
    start="<sos>",
    generation_prompt="<|assistant|>",
)
"""The template of this course: one special token for each role, and one for the end of a turn."""

CHATML = ChatTemplate(
    name="ChatML",
    headers={role: f"<|im_start|>{role}\n" for role in ROLES},
    footers=dict.fromkeys(ROLES, "<|im_end|>\n"),
    special_tokens=("<|im_start|>", "<|im_end|>"),
    generation_prompt="<|im_start|>assistant\n",
)
"""The template of OpenAI's chat models, which Qwen and many others use."""

ZEPHYR = ChatTemplate(
    name="Zephyr",
    headers={role: f"<|{role}|>\n" for role in ROLES},
    footers=dict.fromkeys(ROLES, "</s>\n"),
    special_tokens=("</s>",),
    generation_prompt="<|assistant|>\n",
)
"""Zephyr's template, whose role names are ordinary text; only the end of a turn is one token."""

LLAMA_2 = ChatTemplate(
    name="Llama 2",
    headers={"system": "<s>[INST] <<SYS>>\n", "user": "<s>[INST] ", "assistant": " "},
    footers={"system": "\n<</SYS>>\n\n", "user": " [/INST]", "assistant": " </s>"},
    special_tokens=("<s>", "</s>"),
    strip=True,
    system_in_user=True,
)
"""Llama 2's template, which marks what the user says and leaves the answer bare."""


class EncodedChat(NamedTuple):
    """A conversation's ids, T of them, and the response mask: which of them the loss sees."""

    ids: list[int]
    mask: list[bool]


def render_chat(
    messages: Messages, template: ChatTemplate = COURSE_CHAT, *, add_generation_prompt: bool = False
) -> str:
    """Write a conversation as one text, as `apply_chat_template` of transformers does.

    Each message has a "role" and a "content". With `add_generation_prompt`, the text ends where the
    assistant's answer begins. A role that the template lacks, a system message that is not the
    first, and an answer without text are errors.

    Source: the chat templates published with these models on the Hugging Face Hub.

    >>> question = {"role": "user", "content": "Who are you?"}
    >>> render_chat([question], CHATML, add_generation_prompt=True)
    '<|im_start|>user\\nWho are you?<|im_end|>\\n<|im_start|>assistant\\n'
    """
    parts = _parts(messages, template, check_flag(add_generation_prompt, "add_generation_prompt"))
    return "".join(text for text, _, _ in parts)


def encode_chat(
    messages: Messages,
    tokenizer: BPETokenizer,
    template: ChatTemplate = COURSE_CHAT,
    *,
    add_generation_prompt: bool = False,
) -> EncodedChat:
    """Convert a conversation to T ids, and to the response mask.

    The mask is True for the tokens of each answer and for the token that ends it, because these are
    what the assistant has to learn to write. Special tokens are recognised in the template only,
    and never in a message. A token that spans a header and an answer belongs to the answer.

    Source: the assistant mask of transformers' `apply_chat_template`, with which this agrees.

    >>> tokens = ["<sos>", "<|user|>", "<|assistant|>", "<|end|>", "<|system|>"]
    >>> tokenizer = BPETokenizer.train("", 261, special_tokens=tokens)
    >>> chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    >>> encode_chat(chat, tokenizer)
    EncodedChat(ids=[0, 1, 69, 3, 2, 70, 3], mask=[False, False, False, False, False, True, True])
    """
    _check_tokenizer(tokenizer, template)
    length_of = {id_: len(token) for token, id_ in tokenizer.vocab.items()}
    ids: list[int] = []
    mask: list[bool] = []
    run: list[tuple[str, bool]] = []  # neighbouring pieces of ordinary text, encoded together

    def finish_run() -> None:
        text = "".join(piece for piece, _ in run)
        seen = [is_seen for piece, is_seen in run for _ in piece.encode()]  # for each byte
        encoded = tokenizer.encode(text, add_special_tokens=False) if text else []
        end = len(seen) - sum(length_of[id_] for id_ in encoded)  # -1 if a space was put in front
        for id_ in encoded:
            end += length_of[id_]
            ids.append(id_)
            mask.append(seen[max(end - 1, 0)])  # 0: a token that is only the space in front
        run.clear()

    for text, is_seen, of_template in _parts(messages, template, add_generation_prompt):
        if not of_template:
            run.append((text, is_seen))
            continue
        special = tokenizer.special_tokens
        for piece, is_special in cut_at_special_tokens(text, special, template.special_tokens):
            if is_special:
                finish_run()
                ids.append(special[piece])
                mask.append(is_seen)
            else:
                run.append((piece, is_seen))
    finish_run()
    return EncodedChat(ids, mask)


@checked
def mask_targets(
    ids: Int[Array, "... T"],
    mask: Bool[Array, "... T"],
    *,
    ignore_index: int = -100,
) -> Int[Array, "... U"]:
    """The targets of a model that reads ids[..., :-1]: the next ids, or `ignore_index`.

    The result has U = T - 1 positions. The target at position t is the token at t + 1, so that
    token's mask decides whether the target counts, and not the mask of the token being read.

    Source: torch's cross-entropy, whose `ignore_index` is -100.

    >>> mask_targets([5, 6, 7, 8], [False, False, True, True]).tolist()
    [-100, 7, 8]
    """
    xp = array_api_compat.array_namespace(ids)
    return xp.where(mask[..., 1:], ids[..., 1:], ignore_index)


def _parts(
    messages: Messages, template: ChatTemplate, add_generation_prompt: bool
) -> Iterator[tuple[str, bool, bool]]:
    """Yield pieces of text, whether the loss sees them, and whether the template wrote them."""
    _check_messages(messages, template)
    yield template.start, False, True
    previous = None
    for message in messages:
        role, content = message["role"], message["content"]
        if not (template.system_in_user and previous == "system"):
            yield template.headers[role], False, True
        answers = role == "assistant"
        yield content.strip() if template.strip else content, answers, False
        footer = template.footers[role]
        end = footer.rstrip("\n") if answers else footer  # a line break is not part of the answer
        yield end, answers, True
        yield footer[len(end) :], False, True
        previous = role
    if add_generation_prompt:
        yield template.generation_prompt, False, True


def _check_messages(messages: Messages, template: ChatTemplate) -> None:
    if isinstance(messages, str | Mapping) or not isinstance(messages, Sequence):
        raise TypeError(f"messages must be a list of messages; got {messages!r}")
    if not messages:
        raise ValueError("messages must hold at least one message; got none")
    for i, message in enumerate(messages):
        if not isinstance(message, Mapping) or not {"role", "content"} <= message.keys():
            raise TypeError(f'messages[{i}] must have a "role" and a "content"; got {message!r}')
        role, content = message["role"], message["content"]
        if role not in template.headers:
            roles = ", ".join(template.headers)
            raise ValueError(
                f"messages[{i}] must have a role of the template {template.name} ({roles}); "
                f"got {role!r}"
            )
        if not isinstance(content, str):
            raise TypeError(f"the content of messages[{i}] must be a str; got {content!r}")
        if role == "system" and i:
            raise ValueError(f"a system message must come first; got one as messages[{i}]")
        if role == "assistant" and not content.strip():
            raise ValueError(
                f"messages[{i}] must answer with some text, because a model trained on empty "
                f"answers learns to be silent; got {content!r}"
            )


def _check_tokenizer(tokenizer: BPETokenizer, template: ChatTemplate) -> None:
    if not tokenizer.byte_level:
        raise ValueError("tokenizer must be byte-level, so that no text of a chat is lost")
    missing = [each for each in template.special_tokens if each not in tokenizer.special_tokens]
    if missing:
        raise ValueError(
            f"tokenizer must have the special tokens of the template {template.name}; "
            f"it lacks {', '.join(missing)}"
        )
