"""Exercise 1: write a conversation as ChatML."""

import numpy as np

from plainformer.exercises.spec import Case, Exact, Exercise


def render_chatml(
    messages: list[tuple[str, str]],
    add_generation_prompt: bool,
) -> str:
    r"""Write a conversation as one text, in the format ChatML.

    Each message becomes <|im_start|>, its role, a line break, its
    content, <|im_end|> and another line break. A generation prompt is
    the header of an answer that has not been written yet: everything
    that precedes the content of an assistant's message.
    messages: (role, content) of each message, in order.
    add_generation_prompt: whether the text ends with such a header.
    Returns the text.

    >>> render_chatml([("user", "Hi!")], False)
    '<|im_start|>user\nHi!<|im_end|>\n'
    """
    text = ""
    for role, content in messages:
        text += f"<|im_start|>{role}\n{content}<|im_end|>\n"
    if add_generation_prompt:
        text += "<|im_start|>assistant\n"
    return text


def _draw(rng: np.random.Generator) -> tuple[list[tuple[str, str]], bool]:
    words = ["Hi!", "What is a cat?", "A lovely animal.", "Thanks.", "Be brief."]
    count = int(rng.integers(1, 5))
    roles = [["user", "assistant"][i % 2] for i in range(count)]
    messages = [(role, str(rng.choice(words))) for role in roles]
    if rng.random() < 0.5:
        messages.insert(0, ("system", "Be kind."))
    return messages, bool(rng.random() < 0.5)


EXERCISE = Exercise(
    id="assistant.assistant.1",
    title="Write ChatML",
    reference=render_chatml,
    compare=Exact(),
    cases=(
        Case(([("user", "Hi!")], False), "<|im_start|>user\nHi!<|im_end|>\n"),
        Case(
            ([("user", "Hi!")], True),
            "<|im_start|>user\nHi!<|im_end|>\n<|im_start|>assistant\n",
        ),
        Case(
            ([("system", "Be kind."), ("user", "Hi!"), ("assistant", "Hello!")], False),
            "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi!<|im_end|>\n"
            "<|im_start|>assistant\nHello!<|im_end|>\n",
        ),
    ),
    generate=_draw,
    hints=(
        "One message becomes one piece of text, and the pieces are joined without anything "
        "between them.",
        'An f-string can hold the whole message: f"<|im_start|>{role}\\n...".',
        "The generation prompt comes once, after all messages, and has no end.",
    ),
    mutants={
        "The role is followed by a line break, and then comes the content.": (
            "{role}\\n{content} -> {role} {content}"
        ),
        "Nothing ends a message, so nobody can tell where it stops. Write <|im_end|>.": (
            "{content}<|im_end|>\\n -> {content}\\n"
        ),
        "There is a line break after each <|im_end|> as well.": "<|im_end|>\\n -> <|im_end|>",
        "You leave the generation prompt out, so the model may go on with the user's turn.": (
            'text += "<|im_start|>assistant\\n" -> pass'
        ),
        "You always add the generation prompt. Do so only when you are asked to.": (
            "if add_generation_prompt: -> if True:"
        ),
        "The generation prompt must stay open: the model writes the answer and its end.": (
            "assistant\\n -> assistant\\n<|im_end|>\\n"
        ),
        "Every message seems to come from the user. Write its own role.": (
            "<|im_start|>{role} -> <|im_start|>user"
        ),
    },
    alternates=[
        lambda messages, add_generation_prompt: (
            "".join(f"<|im_start|>{r}\n{c}<|im_end|>\n" for r, c in messages)
            + "<|im_start|>assistant\n" * add_generation_prompt
        ),
        lambda messages, add_generation_prompt: "".join(
            [
                *("<|im_start|>" + "\n".join(each) + "<|im_end|>\n" for each in messages),
                "<|im_start|>assistant\n" if add_generation_prompt else "",
            ]
        ),
    ],
)
