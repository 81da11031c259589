"""Four exercises on the feed-forward layer: merge two, bend, gate, count."""
