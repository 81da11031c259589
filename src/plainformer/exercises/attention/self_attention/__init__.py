"""Four exercises on self-attention.

Read a matrix of weights, by rows and by columns; write attention in NumPy; choose the matrices of
queries and keys so that tokens look where they are told to; count what it all costs.
"""
