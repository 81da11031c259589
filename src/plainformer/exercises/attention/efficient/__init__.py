"""Four exercises on attention for less: less work by a cache, less memory by blocks.

The bytes of a cache, a step of decoding with the right mask, two halves of a text merged, and the
online softmax itself.
"""
