"""Three exercises on the next token: count pairs, score a text, find the likeliest two tokens."""
