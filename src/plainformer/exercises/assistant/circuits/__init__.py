"""Four exercises on circuits: a lead, where to look, who wrote it, and a sparse code."""
