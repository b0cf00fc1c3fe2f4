"""`python -m grouser` is `grouser`."""

import sys

from grouser.cli import main

if __name__ == "__main__":
    sys.exit(main())
