"""Five exercises: targets, a schedule, bits per byte, and the steps of two optimizers."""
