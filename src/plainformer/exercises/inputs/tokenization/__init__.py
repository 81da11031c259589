"""Six exercises on tokenization: the reader builds byte-pair encoding, piece by piece.

Count the pairs, merge one, learn merges from words, encode with them, read bytes back, and find
out what a merge really saves.
"""
