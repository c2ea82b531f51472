"""Damaged scenario files, given to the commands that read them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random

import tomli_w

from slotscope.model.scenario.files import scenario_files
from tests.fuzz.changes import damaged_bytes, damaged_data, damaged_text
from tests.fuzz.running import judged, warmed_up

#: Commands for most files: they are cheap and build the whole system.
COMMANDS = (
    ["trace", "--events", "12", "--json"],
    ["run", "--until", "2", "--engine", "reference"],
    ["bounds", "--json"],
    ["verify", "--events", "10", "--json"],
)

#: Scenarios whose bounds take seconds, or whose jobs are in files that are not available here.
SLOW = {
    "jrs-three-phases",
    "jrs-azure",
    "jrs-alibaba",
    "dra-google",
    "queues-google",
    "queues-alibaba",
    "moldable-swf",
    "dra-gcp",
}


def prepared(folder: Path) -> Callable[[Random], str]:
    """Read the built-in scenarios; each attempt damages one and runs a command on it."""
    texts = {name: path.read_text("utf-8") for name, path in scenario_files().items()}

    warmed_up()

    def attempt(random: Random) -> str:
        name = random.choice(list(texts))
        path = folder / "damaged.toml"
        path.write_bytes(_damaged(random, texts[name]))
        commands = [*COMMANDS[:2], COMMANDS[3]] if name in SLOW else COMMANDS
        command, *options = random.choice(commands)
        return judged([command, str(path), *options])

    return attempt


def _damaged(random: Random, text: str) -> bytes:
    action = random.random()
    if action < 0.1:
        return damaged_bytes(random, text.encode())
    if action < 0.3:
        return damaged_text(random, text).encode("utf-8", "surrogateescape")
    if action < 0.33:
        return _deep(random).encode()
    data = damaged_data(random, tomllib.loads(text))
    try:
        return tomli_w.dumps(data).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError):  # TOML cannot express the value
        return json.dumps(data, default=str).encode("utf-8", "surrogatepass")


def _deep(random: Random) -> str:
    """Deeply nested tables and lists."""
    depth = random.choice((50, 500, 1000, 5000, 100_000))
    form = random.randrange(4)
    if form == 0:
        return "a = " + "[" * depth + "]" * depth
    if form == 1:
        return "a = " + "{b = " * depth + "1" + "}" * depth
    if form == 2:
        return "[" + ".".join(["a"] * depth) + "]\nb = 1"
    return ".".join(["a"] * depth) + " = 1"
