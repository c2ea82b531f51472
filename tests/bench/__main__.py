"""Runs every benchmark briefly and prints one report in Markdown.

``python -m tests.bench [--full]``; each benchmark is a process of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.timing import machine

ROOT = Path(__file__).resolve().parents[2]

#: Title, module, its options for a short run and for a full one.
BENCHMARKS = (
    ("Engines", "bench_engines", ("--quick",), ()),
    ("Queues", "bench_queues", ("--quick",), ()),
    ("Phases", "bench_phases", ("--quick",), ()),
    ("Moldable jobs", "bench_moldable", ("--quick",), ()),
    ("Policies of one's own", "bench_own", ("--quick",), ()),
    ("History", "bench_history", ("--quick",), ()),
    ("Linear programs and configurations", "bench_programs", ("1",), ("3",)),
    ("Drawing", "bench_drawing", ("--quick",), ()),
    ("Monitors", "bench_monitors", ("--quick",), ()),
    ("Questions", "bench_questions", ("--quick",), ()),
    ("Why, and forks", "bench_why", ("--quick",), ()),
    ("Window", "bench_window", ("--quick",), ()),
    ("Start", "bench_start", ("--quick",), ()),
)


def run(module: str, options: tuple[str, ...]) -> bool:
    """Run one benchmark and print what it prints; False if it failed."""
    environment = os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    done = subprocess.run(
        [sys.executable, "-m", f"tests.bench.{module}", *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    text = done.stdout.strip()
    print(text if text.startswith("#") else f"```\n{text}\n```", flush=True)
    if done.returncode != 0:
        print(f"\nFailed:\n```\n{done.stderr.strip()}\n```", flush=True)
    return done.returncode == 0


def main() -> int:
    """Print the report; 1 if a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short runs, the default")
    parser.add_argument("--full", action="store_true", help="all sizes and rounds: minutes")
    arguments = parser.parse_args()
    print(f"# Benchmarks\n\n{machine()}", flush=True)
    good = True
    for title, module, quick, full in BENCHMARKS:
        print(f"\n## {title}\n", flush=True)
        good &= run(module, full if arguments.full else quick)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
