"""Three exercises on the decoder: its masks, a whole layer, one step with a cache."""
