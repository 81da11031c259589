"""The capstone in nine exercises: a GPT from its text to its first words, then a bug hunt."""
