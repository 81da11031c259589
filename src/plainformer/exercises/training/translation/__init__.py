"""Four exercises on translation: what a decoder reads, softer targets, and how BLEU counts."""
