"""Four exercises on the gradients of attention.

What each value gets, back through the softmax, the whole backward pass of attention, and from there
to the tokens and the matrices.
"""
