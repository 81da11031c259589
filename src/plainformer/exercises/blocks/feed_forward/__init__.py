"""Four exercises on the feed-forward layer: merge two layers, activate, gate, count."""
