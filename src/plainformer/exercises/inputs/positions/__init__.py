"""Four exercises on absolute positions.

Build the sinusoidal table, find the wrong number in a printed one, go from one row to a later
one by a rotation, and add up the input of BERT.
"""
