"""Two classifiers of texts, alike but for one line: who reads the tokens.

    average     each token is looked up in a table, and that is all
    encoder     each token is looked up, put in its place, and looks around

Then, in both: the mean of a text's vectors, and one linear layer. So what the encoder is good for
is the difference between the two.

Both hide words in training: each word becomes `<unk>` with some probability, in every step anew. A
text's field should not hang on one word, for the next text may lack it. (Dropout of whole words, as
in Iyyer et al. 2015, section 3.1.)
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from plainformer.arrays import check_number, check_size
from plainformer.blocks import EncoderOnly, TransformerConfig
from plainformer.training.pooling import masked_mean

__all__ = ["AverageClassifier", "EncoderClassifier", "hide_words"]


class AverageClassifier(nn.Module):
    """The mean of a text's word vectors, and one linear layer.

    Args:
        vocab_size: V.
        d_model: D, the width of a word vector.
        n_labels: how many labels there are.
        hide: the probability with which a word is hidden in training.

    Source: Iyyer et al. 2015, section 2.1, the neural bag of words.

    >>> model = AverageClassifier(9, d_model=4, n_labels=3)
    >>> model(torch.tensor([[5, 6]]), torch.tensor([[True, True]])).shape
    torch.Size([1, 3])
    """

    def __init__(self, vocab_size: int, d_model: int, n_labels: int, hide: float = 0.0) -> None:
        super().__init__()
        self.hide = check_share(hide)
        self.embedding = nn.Embedding(check_size(vocab_size, "vocab_size"), d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.linear = nn.Linear(d_model, check_size(n_labels, "n_labels"))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids and mask to logits, one for each label."""
        x = self.embedding(hide_words(self, ids))  # (B, T, D)
        logits: Tensor = self.linear(masked_mean(x, mask))
        return logits


class EncoderClassifier(nn.Module):
    """The mean of what an encoder makes of the tokens, and one linear layer.

    Args:
        config: sizes and choices of the encoder.
        n_labels: how many labels there are.
        hide: the probability with which a word is hidden in training.
        impl: as in `EncoderOnly`.

    Source: Reimers and Gurevych 2019, section 3, for the mean.
    """

    def __init__(
        self,
        config: TransformerConfig,
        n_labels: int,
        hide: float = 0.0,
        impl: str = "sdpa",
    ) -> None:
        super().__init__()
        self.hide = check_share(hide)
        self.encoder = EncoderOnly(config, impl=impl)  # type: ignore[arg-type]
        self.dropout = nn.Dropout(config.dropout)
        self.linear = nn.Linear(config.d_model, check_size(n_labels, "n_labels"))

    @property
    def embedding(self) -> nn.Module:
        """What turns ids into what the first layer reads."""
        return self.encoder.embedding

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(B, T) ids and mask to logits, one for each label."""
        ids = hide_words(self, ids)
        x = self.encoder.encode(ids, mask=mask)  # (B, T, D)
        logits: Tensor = self.linear(self.dropout(masked_mean(x, mask)))
        return logits


def hide_words(
    model: AverageClassifier | EncoderClassifier, ids: Tensor, unk_id: int = 0
) -> Tensor:
    """In training, (B, T) ids with some of them `<unk>`; else all as they are."""
    if not model.training or model.hide == 0:
        return ids
    hidden = torch.rand(ids.shape, device=ids.device) < model.hide
    return torch.where(hidden, unk_id, ids)


def check_share(hide: float) -> float:
    """A probability below 1."""
    share = check_number(hide, "hide")
    if not 0 <= share < 1:
        raise ValueError(f"hide must be at least 0 and below 1; got {hide}")
    return share
