"""Three exercises on cross-attention.

Read an alignment off a map, let one text ask another, and leave the padding of a batch of sources
out.
"""
