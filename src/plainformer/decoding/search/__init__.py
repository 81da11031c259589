"""Search: of all the texts that a model could generate, find a likely one."""
