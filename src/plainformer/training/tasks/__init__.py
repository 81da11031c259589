"""What the course trains for: one folder for each task."""
