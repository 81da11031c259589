"""A widget that follows the residual stream of six tokens through two encoder layers.

The stream flows from left to right, a row for each token. After each sublayer it is drawn as four
bars, the token's features; slim hollow bars beside them are what that sublayer has just written.
The reader switches sublayers off and moves the norms. The front end (``view.js``) computes it all
anew; here the same numbers come from `plainformer.blocks` (see ``flow.py``), and a browser test
compares the two.

It has four features, chosen by hand. BERT base has 768, which are learned and have no names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import traitlets

from plainformer.arrays import check_choice
from plainformer.attention.example import KINDS, TOKENS, X
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_flag, check_whole

from .flow import EPS, N_HEADS, NORMS, SUBLAYERS, WEIGHTS, Step, flow
from .picture import draw, number

__all__ = ["BlockFlow"]


def _check_on(_: Any, value: Any) -> list[bool]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TypeError(f"on must be a list of True and False; got {value!r}")
    if len(value) != len(SUBLAYERS):
        raise ValueError(
            f"on must have {len(SUBLAYERS)} entries, one for each sublayer; got {len(value)}"
        )
    return [check_flag(each, "each of on") for each in value]


def _check_norms(_: Any, value: Any) -> str:
    check_choice(value, "norms", list(NORMS))
    return str(value)


def _check_token(_: Any, value: Any) -> int:
    return check_whole(value, "token", 0, len(TOKENS) - 1)


def _check_sublayer(_: Any, value: Any) -> int:
    return check_whole(value, "sublayer", 0, len(SUBLAYERS) - 1)


class BlockFlow(Widget):
    """Follow the stream through two encoder layers, and switch parts of them off.

    Arguments: ``on``, whether each sublayer writes: attention, feed-forward, attention,
    feed-forward. ``norms``: "pre", "post" or "none". ``token``, from 0 to 5, and ``sublayer``, from
    0 to 3: whose numbers are shown. The tokens are those of `plainformer.attention.example`.

    In Jupyter all four are live: what the reader does can be read here, and what is set here is
    drawn. ``steps`` is what follows from them: for each sublayer what it read, what it wrote, and
    the stream after it.

    >>> flow = BlockFlow(token=1)
    >>> flow.steps[0].written[1].round(2).tolist()
    [-0.74, 2.08, 1.56, -0.53]
    >>> flow.on = [False] * 4  # nothing writes: what comes in comes out
    >>> flow.steps[3].stream[1].tolist()
    [2.0, 0.0, 0.0, 0.0]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "block_flow"

    data = traitlets.Dict().tag(sync=True)
    on = ValidatedTrait([True] * 4, _check_on).tag(sync=True)
    norms = ValidatedTrait("pre", _check_norms).tag(sync=True)
    token = ValidatedTrait(1, _check_token).tag(sync=True)
    sublayer = ValidatedTrait(0, _check_sublayer).tag(sync=True)

    def __init__(
        self,
        *,
        on: Sequence[bool] = (True, True, True, True),
        norms: str = "pre",
        token: int = 1,
        sublayer: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(on=on, norms=norms, token=token, sublayer=sublayer, **options)
        weights: dict[str, Any] = {name: each.tolist() for name, each in WEIGHTS.items()}
        self.data = {
            "tokens": list(TOKENS),
            "features": list(KINDS),
            "x": X.tolist(),
            "weights": weights | {"n_heads": N_HEADS},
            "eps": EPS,
        }

    @property
    def steps(self) -> list[Step]:
        """What each sublayer read and wrote, and the stream after it."""
        return flow(self.on, self.norms)

    def description(self) -> str:
        """Return in a few sentences what flows, and what is written into the chosen token."""
        steps, token = self.steps, TOKENS[self.token]
        said = []
        for i, (kind, step) in enumerate(zip(SUBLAYERS, steps, strict=True)):
            row = ", ".join(number(each) for each in step.written[self.token])
            said.append(f"{kind} of layer {i // 2 + 1} writes {row if self.on[i] else 'nothing'}")
        ends = ", ".join(number(each) for each in steps[-1].stream[self.token])
        norms = {"pre": "pre-norm", "post": "post-norm", "none": "no norms"}[self.norms]
        return (
            f"Six rows, one for each token, and five columns: the stream as it comes in and after "
            f"each sublayer, as bars ({', '.join(KINDS)}); {norms}. For “{token}”, "
            f"{'; '.join(said)}. It comes out as {ends}."
        )

    def picture(self) -> str:
        """Return the river as one drawing."""
        return draw(X, self.steps, self.on, self.token)
