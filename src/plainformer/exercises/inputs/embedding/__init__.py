"""Three exercises on the embedding: look vectors up, send a gradient back, find neighbours."""
