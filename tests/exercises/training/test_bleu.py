"""The exercises on BLEU, beside sacrebleu."""

import numpy as np
import pytest
import sacrebleu

from plainformer.exercises.training.translation.bleu import bleu
from plainformer.exercises.training.translation.clipped_precision import (
    clipped_precision,
    noisy_pairs,
)


@pytest.mark.parametrize("seed", range(30))
def test_precisions_and_bleu_are_those_of_sacrebleu(seed):
    translations, references = noisy_pairs(np.random.default_rng(seed))
    theirs = sacrebleu.corpus_bleu(
        translations, [references], tokenize="none", smooth_method="none", force=True
    )
    for n, precision in enumerate(theirs.precisions, start=1):
        assert clipped_precision(translations, references, n) == pytest.approx(precision / 100)
    assert bleu(translations, references) == pytest.approx(theirs.score / 100)
