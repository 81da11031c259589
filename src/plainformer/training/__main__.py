"""`python -m plainformer.training`: see `commands`."""

import sys

from plainformer.training.commands import main

if __name__ == "__main__":
    sys.exit(main())
