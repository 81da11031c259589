"""A widget that brings one token to one size, by LayerNorm and by RMSNorm.

The reader drags the token's features, multiplies them all by one number and adds another to them
all. Both norms are drawn beside it, with marks where they were before that: LayerNorm's numbers
stay through both, RMSNorm's only through the product. The front end (``view.js``) computes it;
here the same numbers come from `plainformer.blocks`, and a browser test compares the two.

It shows a handful of features, so that there is room for bars. A token of GPT-2 has 768.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array, as_numpy, check_number
from plainformer.blocks.normalization import layer_norm, rms_norm
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings

from .picture import draw, number

__all__ = ["FACTORS", "MOST_FEATURES", "NormLab"]

MOST_FEATURES = 6
"""The most features that find room side by side."""

FACTORS = (0.25, 0.5, 1.0, 2.0)
"""What the token can be multiplied by."""

FEATURE, LEARNED, SHIFT = 4.0, 2.0, 4.0
"""The largest feature, γ or β, and shift, either side of zero."""


def _numbers(name: str, most: float) -> Any:
    """A check of as many numbers as there are features, none too large."""

    def check(widget: Any, value: Any) -> list[float]:
        array = as_numpy(as_array(value, name)).astype(np.float64)
        if array.shape != (widget.width,):
            raise ValueError(f"{name} must have shape ({widget.width},); got {array.shape}")
        if not (np.abs(array) <= most).all():  # nor is a NaN
            raise ValueError(f"{name} must lie from {-most:g} to {most:g}; got {array.tolist()}")
        return [float(each) for each in array]

    return check


def _check_factor(_: Any, value: Any) -> float:
    factor = check_number(value, "factor")
    if factor not in FACTORS:
        listed = ", ".join(f"{each:g}" for each in FACTORS)
        raise ValueError(f"factor must be one of {listed}; got {value}")
    return factor


def _check_shift(_: Any, value: Any) -> float:
    shift = check_number(value, "shift")
    if not -SHIFT <= shift <= SHIFT:
        raise ValueError(f"shift must lie from {-SHIFT:g} to {SHIFT:g}; got {value}")
    return shift


class NormLab(Widget):
    """Scale and shift a token, and see what LayerNorm and RMSNorm keep of it.

    Arguments: ``x``, (D,) features of 2 to `MOST_FEATURES`, each from -4 to 4. ``names``: a name
    for each. ``factor``: one of `FACTORS`, by which all are multiplied; ``shift``, from -4 to 4, is
    then added to all. ``gamma`` and ``beta``, (D,) from -2 to 2: what the norms learn; None for
    ones and zeros. ``eps``: the ε of both norms.

    In Jupyter ``x``, ``factor``, ``shift``, ``gamma`` and ``beta`` are live: what the reader does
    can be read here, and what is set here is drawn. ``token``, ``layer`` and ``rms`` are what
    follows from them.

    >>> lab = NormLab([2, 0, 0, 0], factor=2, shift=1)
    >>> lab.token.tolist()
    [5.0, 1.0, 1.0, 1.0]
    >>> lab.layer.round(2).tolist()  # as without factor and shift
    [1.73, -0.58, -0.58, -0.58]
    >>> lab.rms.round(2).tolist()
    [1.89, 0.38, 0.38, 0.38]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "norm_lab"
    width: int = 4

    data = traitlets.Dict().tag(sync=True)
    x = ValidatedTrait([2.3, 3.0, 1.5, 0.2], _numbers("x", FEATURE)).tag(sync=True)
    factor = ValidatedTrait(1.0, _check_factor).tag(sync=True)
    shift = ValidatedTrait(0.0, _check_shift).tag(sync=True)
    gamma = ValidatedTrait([1.0] * 4, _numbers("gamma", LEARNED)).tag(sync=True)
    beta = ValidatedTrait([0.0] * 4, _numbers("beta", LEARNED)).tag(sync=True)

    def __init__(
        self,
        x: Any = (2.3, 3.0, 1.5, 0.2),
        names: Sequence[str] | None = None,
        *,
        factor: float = 1.0,
        shift: float = 0.0,
        gamma: Any = None,
        beta: Any = None,
        eps: float = 1e-5,
        **options: Any,
    ) -> None:
        shape = tuple(as_numpy(as_array(x, "x")).shape)
        if len(shape) != 1 or not 2 <= shape[0] <= MOST_FEATURES:
            raise ValueError(f"x must have shape (2 to {MOST_FEATURES},); got {shape}")
        (D,) = shape
        self.width = D
        self.eps = check_number(eps, "eps")
        if not 0 < self.eps <= 1:
            raise ValueError(f"eps must be above 0, and 1 at most; got {eps}")
        names = [f"x{i + 1}" for i in range(D)] if names is None else names
        self.names = check_strings(names, "names", D, D, "feature")
        gamma = np.ones(D) if gamma is None else gamma
        beta = np.zeros(D) if beta is None else beta
        super().__init__(x=x, factor=factor, shift=shift, gamma=gamma, beta=beta, **options)
        self.data = {"names": self.names, "eps": self.eps}

    @property
    def token(self) -> Array:
        """What the norms read: the features, scaled and shifted. (D,)."""
        return self.factor * np.asarray(self.x) + self.shift

    @property
    def layer(self) -> Array:
        """What LayerNorm makes of it: (D,)."""
        return layer_norm(self.token, gamma=self.gamma, beta=self.beta, eps=self.eps)

    @property
    def rms(self) -> Array:
        """What RMSNorm makes of it: (D,). It has no β."""
        return rms_norm(self.token, gamma=self.gamma, eps=self.eps)

    def description(self) -> str:
        """Return in a few sentences the token and what both norms make of it."""
        rows = (("The token", self.token), ("LayerNorm", self.layer), ("RMSNorm", self.rms))
        said = [
            f"{title}: "
            + ", ".join(
                f"{name} {number(each)}" for name, each in zip(self.names, row, strict=True)
            )
            for title, row in rows
        ]
        return f"Three groups of bars. {'. '.join(said)}."

    def picture(self) -> str:
        """Return the three groups of bars as one drawing."""
        return draw(self.names, {"The token": self.token, "LayerNorm": self.layer,
                                 "RMSNorm": self.rms})  # fmt: skip
