"""Six exercises: targets, a schedule, bits per byte, two optimizers' steps, and masked tokens."""
