"""Four exercises on sampling: a draw, the size of a nucleus, min-p, and one speculative step."""
