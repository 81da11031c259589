"""Three exercises on sizes: a model's parameters, its cache, and when attention costs most."""
