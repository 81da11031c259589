"""Four exercises on search: greedily, one step of a beam, the better of two lengths, all of it."""
