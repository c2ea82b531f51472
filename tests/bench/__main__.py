"""Runs every benchmark briefly and prints one page in Markdown: each target, the measured value, and their ratio.

Each target is printed with its limit, if one was measured in the same run: what the machine takes for work that
cannot be avoided.

``python -m tests.bench [--full] [--tables]``; each benchmark runs in its own process; ``--tables`` prints its tables
as well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.timing import TARGET, line_of, machine, table

ROOT = Path(__file__).resolve().parents[2]

#: Title, module, its options for a short run (none: it is left out) and for a full one.
BENCHMARKS: tuple[tuple[str, str, tuple[str, ...] | None, tuple[str, ...]], ...] = (
    ("Engines", "bench_engines", ("--quick",), ()),
    ("References", "bench_references", ("--quick",), ()),
    ("Queues", "bench_queues", ("--quick",), ()),
    ("Phases", "bench_phases", ("--quick",), ()),
    ("Instructions", "bench_counts", ("--quick",), ()),
    ("Moldable jobs", "bench_moldable", ("--quick",), ()),
    ("Policies of one's own", "bench_own", ("--quick",), ()),
    ("History", "bench_history", ("--quick",), ()),
    ("Linear programs and configurations", "bench_programs", ("1",), ("3",)),
    ("Scale beyond the papers", "bench_scale", ("--quick",), ()),
    ("Drawing", "bench_drawing", ("--quick",), ()),
    ("Monitors", "bench_monitors", ("--quick",), ()),
    ("Questions", "bench_questions", ("--quick",), ()),
    ("Questions of each field", "bench_questions", None, ("--fields",)),
    ("Questions of 10⁸ events", "bench_questions", None, ("--long",)),
    ("Why, and forks", "bench_why", ("--quick",), ()),
    ("Window", "bench_window", ("--quick",), ()),
    ("Answers of the window", "bench_response", ("--quick",), ()),
    ("Window at rest", "bench_rest", ("--quick",), ()),
    ("Start", "bench_start", ("--quick",), ()),
)


#: The columns of the page.
_HEADS = ("benchmark", "what", "target", "reached (least to most)", "reached / target", "limit here", "")


def run(module: str, options: tuple[str, ...]) -> tuple[str, str]:
    """The output of one benchmark, and the reason if it failed."""
    environment = os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{module}", *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = done.returncode != 0
    return done.stdout.strip(), (done.stderr.strip() or f"it ended with {done.returncode}") if failed else ""


def rows(title: str, text: str) -> list[tuple[str, ...]]:
    """The targets that a benchmark has printed."""
    told = (line.removeprefix(TARGET) for line in text.splitlines() if line.startswith(TARGET))
    return [(title, *line.split(" | ")) for line in told]


def main() -> int:
    """Print the report; 1 if a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short runs, the default")
    parser.add_argument("--full", action="store_true", help="all sizes and rounds: minutes")
    parser.add_argument("--tables", action="store_true", help="print the tables of each benchmark, too")
    parser.add_argument("--only", help="only the benchmarks whose module has this in its name")
    arguments = parser.parse_args()
    print(f"# Benchmarks\n\n{machine()}\n\n## Targets\n\n{table(_HEADS, ())}", flush=True)
    printed, failures = {}, {}
    for title, module, quick, full in BENCHMARKS:
        options = full if arguments.full else quick
        if options is None or (arguments.only and arguments.only not in module):
            continue
        print(f"{title} ...", file=sys.stderr, flush=True)
        printed[title], why = run(module, options)
        if why:
            failures[title] = why
        for row in rows(title, printed[title]):  # at once: an interruption or a failure loses no earlier results
            print(line_of(row), flush=True)
    for title, text in printed.items() if arguments.tables else ():
        print(f"\n## {title}\n\n{text}")
    for title, why in failures.items():
        print(f"\n{title} failed:\n```\n{why}\n```")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
