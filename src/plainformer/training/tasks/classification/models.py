"""Two text classifiers that differ only in how tokens become vectors: by a table or an encoder.

Both use word dropout in training, which replaces each word by `<unk>` with some probability (Iyyer
et al. 2015, section 3.1). This keeps predictions from depending on a single word, which the next
text may lack.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from plainformer.arrays import check_number, check_size
from plainformer.blocks import EncoderOnly, TransformerConfig
from plainformer.training.pooling import masked_mean

__all__ = ["AverageClassifier", "EncoderClassifier", "drop_words"]


class AverageClassifier(nn.Module):
    """The mean of a text's word vectors, and one linear layer.

    Source: Iyyer et al. 2015, section 2.1, the neural bag of words.

    >>> model = AverageClassifier(9, d_model=4, n_labels=3)
    >>> model(torch.tensor([[5, 6]]), torch.tensor([[True, True]])).shape
    torch.Size([1, 3])
    """

    def __init__(
        self, vocab_size: int, d_model: int, n_labels: int, word_dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.word_dropout = check_probability(word_dropout)
        self.embedding = nn.Embedding(check_size(vocab_size, "vocab_size"), d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.linear = nn.Linear(d_model, check_size(n_labels, "n_labels"))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Map (B, T) ids and mask to (B, labels) logits."""
        x = self.embedding(drop_words(self, ids))  # (B, T, D)
        logits: Tensor = self.linear(masked_mean(x, mask))
        return logits


class EncoderClassifier(nn.Module):
    """The mean of an encoder's output vectors, and one linear layer.

    Source: Reimers and Gurevych 2019, section 3, for the mean.
    """

    def __init__(self, config: TransformerConfig, n_labels: int, word_dropout: float = 0.0) -> None:
        super().__init__()
        self.word_dropout = check_probability(word_dropout)
        self.encoder = EncoderOnly(config, impl="sdpa")
        self.dropout = nn.Dropout(config.dropout)
        self.linear = nn.Linear(config.d_model, check_size(n_labels, "n_labels"))

    @property
    def embedding(self) -> nn.Module:
        """The module that converts ids to the vectors that the first layer reads."""
        return self.encoder.embedding

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Map (B, T) ids and mask to (B, labels) logits."""
        ids = drop_words(self, ids)
        x = self.encoder.encode(ids, mask=mask)  # (B, T, D)
        logits: Tensor = self.linear(self.dropout(masked_mean(x, mask)))
        return logits


def drop_words(model: AverageClassifier | EncoderClassifier, ids: Tensor) -> Tensor:
    """Replace some of the (B, T) ids by `<unk>` in training, and none otherwise."""
    if not model.training or model.word_dropout == 0:
        return ids
    hidden = torch.rand(ids.shape, device=ids.device) < model.word_dropout
    return torch.where(hidden, 0, ids)


def check_probability(word_dropout: float) -> float:
    """Check that a probability is from 0 to below 1, and return it."""
    probability = check_number(word_dropout, "word_dropout")
    if not 0 <= probability < 1:
        raise ValueError(f"word_dropout must be at least 0 and below 1; got {word_dropout}")
    return probability
