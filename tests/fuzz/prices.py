"""Damaged price lists, as ``slotscope prices`` reads them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.changes import damaged_bytes, damaged_text
from tests.fuzz.running import judged, warmed_up
from tests.kinds.reservation.test_prices import MACHINES, PRICING

#: YAML that expands enormously, or that creates objects where they are allowed.
HOSTILE = (
    "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "!!python/object/apply:os.system ['true']\n",
    "[" * 3000,
    "a: " * 3000,
    "? " * 500,
    "&a [*a]\n",
    "- " * 2000,
    "{" * 500,
    "--- 1\n--- 2\n",
    "%YAML 9.9\n---\na: 1\n",
)


def prepared(folder: Path) -> Callable[[Random], str]:
    """Prepare an attempt that damages one of the two files, or both."""

    warmed_up()

    def attempt(random: Random) -> str:
        machines, pricing = folder / "machinetypes.csv", folder / "pricing.yml"
        which = random.randrange(3)
        machines.write_bytes(_damaged(random, MACHINES) if which != 1 else MACHINES.encode())
        pricing.write_bytes(_damaged(random, PRICING) if which != 0 else PRICING.encode())
        if random.random() < 0.1:
            pricing.write_bytes(random.choice(HOSTILE).encode())
        options = random.choice((["--json"], ["--digits", "3"], ["--server", "32x128"], []))
        return judged(
            [
                "prices",
                str(machines),
                str(pricing),
                "--region",
                "here",
                "--family",
                random.choice(("n1", "n2-standard", "x")),
                *options,
            ]
        )

    return attempt


def _damaged(random: Random, text: str) -> bytes:
    action = random.random()
    if action < 0.15:
        return gzip.compress(damaged_text(random, text).encode("utf-8", "surrogateescape"))
    if action < 0.2:
        return damaged_bytes(random, gzip.compress(text.encode()))
    if action < 0.5:
        return damaged_bytes(random, text.encode())
    return damaged_text(random, text).encode("utf-8", "surrogateescape")
