"""Four exercises on classification: counting, pooling backwards, a baseline, a bug hunt."""
