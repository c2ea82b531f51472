"""The parts of an experiment: the units of work, each of which can run in any process on any machine.

A part contains everything that its outcome depends on, including its seed, as plain data.  So parts
can run in any order and anywhere, an outcome can be stored under a key made from its part, and
nothing depends on who ran it.
"""

from __future__ import annotations

import hashlib
import json
import traceback
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Mapping, NamedTuple

from slotscope.model.errors import UserError

#: The result of a part: plain data, exactly as JSON returns it.
Outcome = Any


@dataclass(frozen=True)
class Part:
    """One unit of work."""

    work: str  #: the module whose function ``carry_out(part)`` does the work
    seed: int  #: seeds all randomness in it
    text: str  #: everything else that the outcome depends on, as canonical JSON; see :attr:`settings`
    label: str = field(default="", compare=False)  #: for display, such as ``g = 1, L = 20, seed 3``
    #: the approximate running time, in any unit that is the same for all parts of an experiment
    length: float = field(default=1.0, compare=False)

    @classmethod
    def of(cls, work: str, seed: int, settings: Mapping[str, Any], label: str, length: float = 1.0) -> Part:
        """A part with the given settings, which must be plain data."""
        return cls(work, seed, canonical(settings), label, length)

    @property
    def settings(self) -> dict[str, Any]:
        """What the outcome depends on, besides the seed."""
        settings: dict[str, Any] = json.loads(self.text)
        return settings

    @property
    def key(self) -> str:
        """A hash of the part and of the program's source; also of the module *work*, if a package provides it."""
        own = [] if self.work.startswith(_PROGRAM) else [_source_of(self.work)]
        text = canonical([self.work, self.seed, self.text, program_version(), *own])
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Attempt(NamedTuple):
    """The result of running a part: an outcome, or why there is none.

    ``fault`` is an error message for the user, ``crash`` the traceback of an unexpected exception;
    ``version`` identifies the program that ran the part.
    """

    outcome: Outcome
    fault: str
    crash: str
    version: str


def carry_out(part: Part) -> Outcome:
    """Run a part; returns its outcome.

    The outcome has passed through JSON, so that it is the same whether it was just computed, received
    from another process, or read from a file (JSON keeps every digit of a float).
    """
    return json.loads(canonical(import_module(part.work).carry_out(part)))


def attempt(part: Part) -> Attempt:
    """Run a part in another process, and return exceptions as data, as not all of them can be pickled."""
    try:
        return Attempt(carry_out(part), "", "", program_version())
    except UserError as error:
        return Attempt(None, error.line, "", program_version())
    except Exception:
        return Attempt(None, "", traceback.format_exc(), program_version())


def canonical(value: Any) -> str:
    """Plain data as JSON text; equal data give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


#: Source below ``model/`` that cannot affect outcomes: a change there invalidates no part.
_WITHOUT_INFLUENCE = (
    "cli/",
    "lab/__init__.py",
    "lab/cluster.py",
    "lab/executor.py",
    "lab/plan.py",
    "lab/results.py",
    "lab/runner.py",
    "lab/store.py",
    "reporting/explain.py",
    "reporting/frame.py",
)

#: The prefix of the names of the program's modules.
_PROGRAM = "slotscope."

#: Packages of which another version may compute or draw different numbers.
_PACKAGES = ("numpy", "numba")


@cache
def _source_of(module: str) -> str:
    """A hash of the source of a module from an installed package."""
    spec = find_spec(module)
    file = Path(spec.origin) if spec is not None and spec.origin else Path()
    return hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest() if file.is_file() else ""


@cache
def program_version() -> str:
    """A hash of the source and of the packages' versions that can affect outcomes."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        if not place.startswith(_WITHOUT_INFLUENCE) and "/cli/" not in place:
            digest.update(place.encode() + b"\0" + path.read_bytes())
    digest.update(canonical([version(name) for name in _PACKAGES]).encode())
    return digest.hexdigest()
