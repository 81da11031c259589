"""Three exercises on penalties: subtract what was said, divide or multiply it, find the loop."""
