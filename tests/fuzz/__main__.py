"""``python -m tests.fuzz --family sessions --inputs 20000 --seed 7``."""

from __future__ import annotations

import argparse
import sys
from random import SystemRandom

from tests.fuzz.judging import FAMILIES, run


def main() -> int:
    """Try the inputs; return exit code 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--family", choices=[*FAMILIES, "all"], default="all")
    parser.add_argument("--inputs", type=int, default=200, help="how many of each family")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.inputs)
    faults = 0
    for family in FAMILIES if options.family == "all" else [options.family]:
        print(f"{family}: seed {options.seed}, inputs {numbers.start} to {numbers.stop - 1}", flush=True)
        report = run(family, options.seed, numbers, lambda line: print(line, flush=True))
        faults += len(report.faults)
        print(
            f"{family}: {report.tried} tried, {len(report.faults)} faults; "
            f"{dict(report.outcomes)}; the slowest took {report.slowest:.1f} s "
            f"(input {report.slowest_number})",
            flush=True,
        )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
