"""The parts of an experiment: what is carried out at once, by any process, on any machine.

A part says all that its outcome depends on, its seed included, as plain data.  So parts can be
carried out in any order and anywhere, an outcome can be kept under a key made from its part,
and nothing depends on who carried it out.
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

#: What a part gives: plain data, exactly as JSON gives it back.
Outcome = Any


@dataclass(frozen=True)
class Part:
    """One piece of work."""

    work: str  #: the module whose function ``carry_out(part)`` does it
    seed: int  #: of everything random in it
    text: str  #: all else that the outcome depends on, as canonical JSON; see :attr:`settings`
    label: str = field(default="", compare=False)  #: for people, as in ``g = 1, L = 20, seed 3``
    #: about how long it takes, in any unit that is the same for all parts of an experiment
    length: float = field(default=1.0, compare=False)

    @classmethod
    def of(cls, work: str, seed: int, settings: Mapping[str, Any], label: str, length: float = 1.0) -> Part:
        """A part from its settings, which must be plain data."""
        return cls(work, seed, canonical(settings), label, length)

    @property
    def settings(self) -> dict[str, Any]:
        """What the work depends on, besides the seed."""
        settings: dict[str, Any] = json.loads(self.text)
        return settings

    @property
    def key(self) -> str:
        """A hash of the part and of the program that carries it out, with the package of the work if it has one."""
        own = [] if self.work.startswith(_PROGRAM) else [_source_of(self.work)]
        text = canonical([self.work, self.seed, self.text, program_version(), *own])
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class Attempt(NamedTuple):
    """How carrying out a part went: an outcome, or why there is none.

    ``fault`` is a line for the user, ``crash`` a traceback of something unexpected; ``version``
    tells which program carried the part out.
    """

    outcome: Outcome
    fault: str
    crash: str
    version: str


def carry_out(part: Part) -> Outcome:
    """The outcome of a part.

    What comes back went through JSON, so that it is the same whether it was just found, sent
    by another process, or read from a file (JSON keeps every digit of a float).
    """
    return json.loads(canonical(import_module(part.work).carry_out(part)))


def attempt(part: Part) -> Attempt:
    """Carry out a part in a process whose exceptions cannot be relied on to travel."""
    try:
        return Attempt(carry_out(part), "", "", program_version())
    except UserError as error:
        return Attempt(None, error.line, "", program_version())
    except Exception:
        return Attempt(None, "", traceback.format_exc(), program_version())


def canonical(value: Any) -> str:
    """Plain data as JSON text, the same for equal data."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


#: Source below ``model/`` that decides no outcome: a change there makes no part stale.
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

#: What the names of the program's own modules begin with.
_PROGRAM = "slotscope."

#: Packages whose next version may count or draw otherwise.
_PACKAGES = ("numpy", "numba")


@cache
def _source_of(module: str) -> str:
    """A hash of the source of a module that an installed package brought along."""
    spec = find_spec(module)
    file = Path(spec.origin) if spec is not None and spec.origin else Path()
    return hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest() if file.is_file() else ""


@cache
def program_version() -> str:
    """A hash of the source and packages that decide outcomes."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        if not place.startswith(_WITHOUT_INFLUENCE) and "/cli/" not in place:
            digest.update(place.encode() + b"\0" + path.read_bytes())
    digest.update(canonical([version(name) for name in _PACKAGES]).encode())
    return digest.hexdigest()
