"""Four exercises on multi-head attention.

Cut rows into heads, mix what the heads found, attend in each head by itself, and let several heads
share their keys and values.
"""
