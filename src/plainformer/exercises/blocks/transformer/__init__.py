"""Three exercises on a forward pass: its shapes, its code, and where its answer is settled."""
