"""The program, from a clone: what ``slotscope`` and ``python -m slotscope`` run."""

import sys

from slotscope.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
