"""Four exercises: accumulation, what each process holds and sends, a ring, exact resume."""
