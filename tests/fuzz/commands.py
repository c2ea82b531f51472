"""Random command lines of words, numbers and names, some that fit together and some that do not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from slotscope.model.cli.arguments import COMMANDS
from slotscope.model.policies import POLICIES
from slotscope.model.scenario.files import scenario_files
from tests.fuzz.changes import STRANGE
from tests.fuzz.running import judged, warmed_up

#: Commands that open no window and write no folder of results.
TRIED = [name for name in COMMANDS if name not in {"screenshot", "reproduce"}]

OPTIONS = (
    "--policy",
    "--seed",
    "--until",
    "--warmup",
    "--events",
    "--json",
    "--replications",
    "--engine",
    "--timing",
    "--no-timing",
    "--trace",
    "--vary",
    "--help",
    "--family",
    "-x",
    "--region",
    "--load",
    "--out",
    "--digits",
    "--alpha",
    "--json=1",
    "--",
)

#: Parameters of policies, and values for them.
PARAMETERS = (
    "choices=5",
    "reservation_factor=log",
    "reservation_factor=1,log^2",
    "x=1",
    "=",
    "servers.count=2,3",
    "servers.count=",
    "policy.name=dra,x",
    "p={a=1}",
    "p=[1,2",
    "token_limit=2",
    "seed=1,2",
    "run.until=1e9",
    "job_types.small.workload=1",
)


def prepared(folder: Path) -> Callable[[Random], str]:
    """Prepare an attempt that tries one random command line."""
    scenarios = [name for name in scenario_files() if "three" not in name and "gcp" not in name]

    warmed_up()

    def attempt(random: Random) -> str:
        arguments = [random.choice(TRIED), random.choice(scenarios)]
        if random.random() < 0.2:
            arguments[random.randrange(2)] = _word(random, scenarios)
        for _ in range(random.choice((0, 1, 1, 2, 3, 5))):
            arguments += _option(random, scenarios)
        return judged(_bounded(arguments))

    return attempt


def _option(random: Random, scenarios: list[str]) -> list[str]:
    option = random.choice(OPTIONS)
    if option == "--policy" and random.random() < 0.8:
        policy = random.choice(POLICIES)
        return [option, f"{policy}:{random.choice(PARAMETERS)}" if random.random() < 0.3 else policy]
    if option == "--vary" and random.random() < 0.8:
        return [option, random.choice(PARAMETERS)]
    if option in {"--json", "--help", "--timing", "--no-timing"} or random.random() < 0.1:
        return [option]
    return [option, _word(random, scenarios)]


def _word(random: Random, scenarios: list[str]) -> str:
    """A random name, number or nonsense."""
    choice = random.randrange(5)
    if choice == 0:
        return random.choice(scenarios)
    if choice == 1:
        return str(random.choice((1, 2, 5, 0, -1, 0.5)))
    if choice == 2:
        return random.choice((".", "/", "nowhere.toml", "nowhere.slotscope", "trace.json", "dra"))
    if choice == 3:
        return random.choice(TRIED)
    return str(random.choice(STRANGE)).replace("\0", "?")


def _bounded(arguments: list[str]) -> list[str]:
    """Make runs short, so that many can be tried, unless the arguments set another length.

    Commands that open the window are skipped.  So are long runs: to take long is no fault.
    """
    command = arguments[0]
    if command not in COMMANDS:
        arguments = ["list", *arguments]
    if command in {"run", "sweep"}:
        arguments += ["--until", "1", "--warmup", "0.5", "--replications", "1"]
        arguments += ["--engine", "reference"] if command == "run" else ["--out", "results"]
    if command in {"trace", "verify"}:
        arguments += ["--events", "5"]
    return arguments
