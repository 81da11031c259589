"""Three exercises on the encoder: the mean without padding, a layer from its parts, a bug hunt."""
