"""Four exercises on files of weights: bfloat16, c_attn, a header read safely, and shards."""
