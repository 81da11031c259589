"""A GPT of a few dozen numbers, which the checks train and sample from."""

from __future__ import annotations

from torch import Tensor, nn

from plainformer.exercises.training.capstone.examples import gpt_weights
from plainformer.exercises.training.capstone.gpt import gpt

__all__ = ["TinyGPT"]


class TinyGPT(nn.Module):
    """V tokens, D features, L blocks of two heads, texts of up to T tokens; double precision."""

    def __init__(self, V: int, D: int, L: int, T: int, seed: int) -> None:
        super().__init__()
        tensors = gpt_weights(V, D, L, T, seed)
        self.weights = nn.ParameterDict({name: each / 2 for name, each in tensors.items()})
        self.made_by = f"TinyGPT({V}, {D}, {L}, {T}, seed={seed})"

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids to (B, T, V) logits."""
        return gpt(ids, dict(self.weights), n_heads=2)

    def __repr__(self) -> str:
        return self.made_by
