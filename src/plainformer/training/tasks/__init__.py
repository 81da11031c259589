"""What is trained in this course: one folder a task."""
