"""Tries inputs in another process, so that an input that crashes or hangs is detected and reported."""

from __future__ import annotations

import faulthandler
import json
import os
import queue
import resource
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

#: Seconds that one input may take, and bytes of memory that a worker may use.
MOST_SECONDS = 60.0
MOST_MEMORY = 12 * 2**30

#: Inputs between two progress messages.
SAID_EVERY = 1000

#: Tries one input, made from a random generator; returns the outcome.
Attempt = Callable[[Random], str]

#: Modules with ``prepared(folder) -> Attempt``, by the family of inputs.
FAMILIES = {
    "sessions": "tests.fuzz.sessions",
    "scenarios": "tests.fuzz.scenarios",
    "instances": "tests.fuzz.instances",
    "traces": "tests.fuzz.traces",
    "prices": "tests.fuzz.prices",
    "commands": "tests.fuzz.commands",
}


class Fault(Exception):
    """Raised if an input was not refused in one line and did not give a sound run."""


class Found(NamedTuple):
    """A fault: the input's number and what went wrong."""

    number: int
    what: str


class Report(NamedTuple):
    """The results of trying inputs of a family."""

    seed: int
    tried: int
    outcomes: Counter[str]
    faults: list[Found]
    slowest: float  #: seconds
    slowest_number: int


def random_of(family: str, seed: int, number: int) -> Random:
    """The random generator for one input; it depends on the arguments alone."""
    return Random(f"{family} {seed} {number}")


def run(family: str, seed: int, numbers: range, say: Callable[[str], None] = print) -> Report:
    """Try the inputs *numbers* of a family in another process."""
    report = Report(seed, len(numbers), Counter(), [], 0.0, 0)
    first, slowest, slow_number = numbers.start, 0.0, 0
    while first < numbers.stop:
        for number, outcome, seconds in _tried(family, seed, range(first, numbers.stop)):
            first = number + 1
            kind, _, what = outcome.partition(":")
            report.outcomes[kind] += 1
            if kind == "fault":
                report.faults.append(Found(number, what))
                say(f"{family}, seed {seed}, input {number}: {what}")
            if first % SAID_EVERY == 0:
                say(f"{family}, seed {seed}: tried up to {number}, {dict(report.outcomes)}")
            if seconds > slowest:
                slowest, slow_number = seconds, number
    return report._replace(slowest=slowest, slowest_number=slow_number)


def _tried(family: str, seed: int, numbers: range) -> Iterator[tuple[int, str, float]]:
    """(number, outcome, seconds) of inputs; ends early after an input that ended the process."""
    command = [sys.executable, "-m", "tests.fuzz.judging", family, str(seed), str(numbers.start), str(numbers.stop)]
    with TemporaryDirectory() as folder, (Path(folder) / "stderr").open("w+") as noise:
        worker = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=noise, text=True, env=_environment(folder)
        )
        told: queue.Queue[Any] = queue.Queue()
        listener = threading.Thread(target=_listen, args=(worker.stdout, told), daemon=True)
        listener.start()
        try:
            number, ready = numbers.start, told.get(timeout=10 * MOST_SECONDS)
            assert ready == {"ready": True}, _last_words(noise)
            while number < numbers.stop:
                answer = _next(told)
                if not isinstance(answer, dict):
                    worker.kill()
                    ended = worker.wait()
                    how = answer or f"it ended the process with {ended}"
                    yield number, f"fault: {how}; {_last_words(noise)}", MOST_SECONDS
                    return
                number = answer["number"] + 1
                yield answer["number"], answer["outcome"], answer["seconds"]
        finally:
            worker.kill()
            worker.wait()
            listener.join()
            assert worker.stdout is not None
            worker.stdout.close()


def _environment(folder: str) -> dict[str, str]:
    """The worker's environment: separate folders for settings, data and state; compiled code is shared."""
    homes = {f"XDG_{name}_HOME": f"{folder}/{name.lower()}" for name in ("CONFIG", "DATA", "STATE")}
    return {
        **os.environ,
        **homes,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONFAULTHANDLER": "1",
        "SLOTSCOPE_FUZZ": folder,
    }


def _listen(stream: IO[str], told: queue.Queue[Any]) -> None:
    """Put each answer of a worker into the queue as it arrives, and None at the end."""
    for line in stream:
        told.put(json.loads(line))
    told.put(None)


def _next(told: queue.Queue[Any]) -> Any:
    """The next answer; None if the worker has ended, or an error message if it takes too long."""
    try:
        return told.get(timeout=MOST_SECONDS)
    except queue.Empty:
        return f"it took more than {MOST_SECONDS:g} s"


def _last_words(noise: IO[str]) -> str:
    noise.seek(0)
    return " | ".join(line.strip() for line in noise.read().splitlines()[:12])[:1500]


def main(family: str, seed: int, numbers: range) -> None:
    """Run the worker: print a JSON line for each input."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the tried code prints must not mix with the answers
    folder = Path(os.environ["SLOTSCOPE_FUZZ"]) / "inputs"
    folder.mkdir()
    os.chdir(folder)
    attempt: Attempt = import_module(FAMILIES[family]).prepared(folder)
    print(json.dumps({"ready": True}), file=channel, flush=True)
    for number in numbers:
        before = time.perf_counter()
        outcome = _outcome(attempt, random_of(family, seed, number))
        answer = {"number": number, "outcome": outcome, "seconds": time.perf_counter() - before}
        print(json.dumps(answer), file=channel, flush=True)


def _outcome(attempt: Attempt, random: Random) -> str:
    try:
        return attempt(random)
    except Fault as fault:
        return f"fault: {fault}"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = "".join(traceback.format_exception_only(error)).strip()[:400]
        return f"fault: {text} at {Path(place.filename).name}:{place.lineno}"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), range(int(sys.argv[3]), int(sys.argv[4])))
