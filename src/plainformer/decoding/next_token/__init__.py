"""A small language model, and the probability that any model gives to a text."""
