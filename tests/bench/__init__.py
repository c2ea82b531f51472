"""How fast the program is, as ratios of one interleaved run; ``python -m tests.bench``."""
