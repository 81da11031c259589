"""The gradients of attention by hand, from the output back to the inputs, line by line.

Write ∂a for the gradient of a, which says how fast the loss grows with each number of a and has a's
shape. The forward pass, read from its last line to its first, gives the backward pass:

    forward                        backward
    output  = weights v            ∂v = weightsᵀ ∂output         ∂weights = ∂output vᵀ
    weights = softmax(scores)      ∂scores = weights ∘ (∂weights - their mean in each row)
    scores  = scale q kᵀ + bias    ∂q = scale ∂scores k          ∂k = scale ∂scoresᵀ q
                                   ∂bias = ∂scores
    q = x w_q + b_q, and so on     ∂w_q = xᵀ ∂q                  ∂b_q = the sum of the rows of ∂q
                                   ∂x = ∂q w_qᵀ + ∂k w_kᵀ + ∂v w_vᵀ

An array that is used in several places receives the sum of the gradients from all of them: x from
q, k and v, and a key from all queries, and from all heads and texts that share it. No gradient is
computed for the scale or through dropout.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
