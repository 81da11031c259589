"""Blocks with parameters, and the models that are built from them, in torch.

In reading order: `norms`, `feed_forward`, `layers`, `embedding` and `models`. Then `pretrained`
loads and saves published weights, `tracing` shows and replaces the intermediate results of a
forward pass, and `longer_texts` and `experiment` are two measurements of the book.
"""
