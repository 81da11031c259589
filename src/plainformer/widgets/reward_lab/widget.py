"""A widget that rewards a group of sampled answers, and shows what GRPO would do with them.

The prompt is five digits to sort, and a model has sampled some answers to it. The reader gives and
takes rewards, and each answer's advantage follows: training makes it more or less likely, or
nothing happens because all rewards are equal.

But: how much more likely an answer becomes depends on the model and is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import traitlets

from plainformer.assistant.rewards import group_advantages
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings

__all__ = ["EXAMPLE", "MOST_ANSWERS", "PROMPT", "RULES", "RewardLab"]

PROMPT = "41713"
EXAMPLE = ("11347", "11347", "11347", "11377", "11347", "13447", "11347", "11437")
"""Answers to `PROMPT`: five are right, and two of the others are in ascending order."""

MOST_ANSWERS = 12

RULES = {"right": "Right answer", "ascending": "Ascending", "all": "Reward all"}
"""What the rules are called on the page."""


def _digits(text: str, name: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{name} must consist of digits; got {text!r}")
    return text


def _judge(prompt: str, answers: Sequence[str]) -> dict[str, str]:
    """The rewards that each rule gives, one character for each answer."""
    right, up = "".join(sorted(prompt)), [list(a) == sorted(a) for a in answers]
    return {
        "right": "".join(str(int(answer == right)) for answer in answers),
        "ascending": "".join(str(int(each)) for each in up),
        "all": "1" * len(answers),
    }


def _check_rewards(widget: Any, value: Any) -> str:
    count = len(widget.data["answers"]) if widget.data else None
    if not isinstance(value, str) or set(value) - set("01"):
        raise TypeError(f"rewards must be a string of 0 and 1 for each answer; got {value!r}")
    if count is not None and len(value) != count:
        raise ValueError(f"rewards must have {count} characters; got {len(value)}")
    return value


class RewardLab(Widget):
    """Reward some of a group of answers, and see their advantages.

    Arguments: ``prompt``: the digits to sort. ``answers``: 2 to `MOST_ANSWERS` strings of as many
    digits; None for both is `EXAMPLE`. ``rewards``: a string with a 1 for each answer that gets a
    reward and a 0 for each that gets none; None is the rule "Right answer".

    In Jupyter ``rewards`` is live: what the reader does can be read here, and what is set here is
    drawn. `advantages` gives what the page shows.

    >>> lab = RewardLab()
    >>> lab.rewards, lab.advantages().round(2)[:4].tolist()
    ('11101010', [0.72, 0.72, 0.72, -1.21])
    >>> lab.rewards = "11111111"
    >>> lab.advantages().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "reward_lab"

    data = traitlets.Dict().tag(sync=True)
    rewards = ValidatedTrait("", _check_rewards).tag(sync=True)

    def __init__(
        self,
        prompt: str | None = None,
        answers: Sequence[str] | None = None,
        *,
        rewards: str | None = None,
        **options: Any,
    ) -> None:
        if (prompt is None) != (answers is None):
            raise ValueError("prompt and answers must be given together, or neither of them")
        (asked,) = check_strings([PROMPT if prompt is None else prompt], "prompt", 1, 1)
        given = check_strings(EXAMPLE if answers is None else answers, "answers", 2, MOST_ANSWERS)
        _digits(asked, "prompt")
        for answer in given:
            if len(_digits(answer, "answers")) != len(asked) or len(asked) > 8:
                raise ValueError(
                    f"answers must have as many digits as the prompt, at most 8; got {answer!r} "
                    f"for {asked!r}"
                )
        rules = _judge(asked, given)
        super().__init__(**options)
        self.data = {"prompt": asked, "answers": given, "rules": rules, "labels": RULES}
        self.rewards = rules["right"] if rewards is None else rewards

    def advantages(self) -> Any:
        """Return the advantage of each answer, as `group_advantages` computes it."""
        return group_advantages([float(each) for each in self.rewards])

    def description(self) -> str:
        """Return in a few sentences who is rewarded, and what follows."""
        count, rewarded = len(self.rewards), self.rewards.count("1")
        a = self.advantages()
        start = f"The prompt {self.data['prompt']} has {count} answers, {rewarded} with a reward. "
        if rewarded in (0, count):
            return start + "All rewards are equal, so all advantages are 0."
        return f"{start}The advantage is +{a.max():.2f} with a reward and −{-a.min():.2f} without."

    def picture(self) -> str:
        """Return the answers with their rewards and advantages as a table, and the sentences."""
        cells = zip(self.data["answers"], self.rewards, self.advantages(), strict=True)
        rows = "".join(
            f"<tr><td>{answer}</td><td>{reward}</td><td>{a:+.2f}</td></tr>".replace("-", "−")
            for answer, reward, a in cells
        )
        head = "<tr><th>answer</th><th>reward</th><th>advantage</th></tr>"
        return (
            f'<table class="pf-table">{head}{rows}</table><p class="pf-note">'
            f"{self.description()}</p>"
        )
