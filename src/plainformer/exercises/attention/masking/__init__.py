"""Four exercises on masks: know one by its weights, make one, join two, skip padding."""
