"""Sampling: which tokens may be drawn, how one is drawn, and how a text is generated."""
