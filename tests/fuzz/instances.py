"""Damaged instance files: systems small enough to check by hand, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.changes import damaged_bytes, damaged_data, damaged_text
from tests.fuzz.running import judged, warmed_up

GOLDEN = Path(__file__).resolve().parents[1] / "golden"

COMMANDS = (
    ["trace", "--json"],
    ["trace", "--events", "5"],
    ["run"],
    ["bounds", "--json"],
    ["verify", "--events", "20"],
)

#: Longer files are results of many runs, not instances.
MOST_BYTES = 60_000


def prepared(folder: Path) -> Callable[[Random], str]:
    """Read the instances; each attempt damages one and runs a command on it."""
    texts = [path.read_text("utf-8") for path in sorted(GOLDEN.rglob("*.json")) if path.stat().st_size < MOST_BYTES]

    warmed_up()

    def attempt(random: Random) -> str:
        path = folder / "damaged.json"
        path.write_bytes(_damaged(random, random.choice(texts)))
        command, *options = random.choice(COMMANDS)
        return judged([command, str(path), *options])

    return attempt


def _damaged(random: Random, text: str) -> bytes:
    action = random.random()
    if action < 0.1:
        return damaged_bytes(random, text.encode())
    if action < 0.2:
        return damaged_text(random, text).encode("utf-8", "surrogateescape")
    if action < 0.22:
        depth = random.choice((500, 5000, 100_000))
        return random.choice((b"[" * depth, b'{"a":' * depth + b"1" + b"}" * depth))
    return json.dumps(damaged_data(random, json.loads(text)), default=str).encode()
