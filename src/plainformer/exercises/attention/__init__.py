"""The exercises of part 2: how tokens look at one another."""
