"""Three exercises on attention as a dictionary: look up exactly, make weights, look up softly."""
