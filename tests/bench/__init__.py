"""Benchmarks of the program, as ratios within one interleaved run; ``python -m tests.bench``."""
