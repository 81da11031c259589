"""A small model of the next token, and the probability that a model gives to a text."""
