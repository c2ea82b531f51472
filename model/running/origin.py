"""The origin of a run: what it takes to open any of its moments again on another machine."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from slotscope.model.phrase import Phrase

#: What to tell the user about a run that no command can open.
NO_LINE = Phrase(
    "no command opens an edited or forked run: save it with Ctrl+S; 'slotscope FILE.slotscope' opens it where it stands"
)

#: A moment on a command line, such as 40, 40.3 and, for two policies, 40,41.3.
_MOMENT = re.compile(r"[0-9]{1,13}(\.[0-9]{1,9})?(,[0-9]{1,13}(\.[0-9]{1,9})?)*")

#: The path of a file at the start of a policy's text; parameters may follow.
_FILE = re.compile(r"(?P<path>.*\.py)(?P<rest>[:@].*)?", re.DOTALL)


@dataclass(frozen=True)
class Moment:
    """A place in the history of a run, or of several side by side."""

    events: tuple[int, ...]  #: the number of events so far under each policy; a single number is for the first
    substep: int = 0  #: sub-steps taken of the next event
    lane: int = 0  #: the index of the policy that took them

    @classmethod
    def read(cls, text: str) -> Moment:
        """Parse a moment as :meth:`__str__` writes it. Raises ValueError if *text* is none."""
        if not _MOMENT.fullmatch(text):
            raise ValueError(f"no moment is written '{text}'")
        pairs = [part.partition(".")[::2] for part in text.split(",")]
        inside = [lane for lane, (_, substep) in enumerate(pairs) if substep]
        if len(inside) > 1:
            raise ValueError("sub-steps are taken under one policy at a time")
        lane = inside[0] if inside else 0
        return cls(tuple(int(event) for event, _ in pairs), int(pairs[lane][1] or 0), lane)

    def __str__(self) -> str:
        texts = [str(event) for event in self.events]
        if self.substep:
            texts[self.lane] += f".{self.substep}"
        return ",".join(texts)


@dataclass(frozen=True)
class Origin:
    """The arguments of the command that opens a run."""

    source: str  #: a built-in scenario's name or a path; empty where the scenario was edited or forked
    policy: str  #: the policy as it is given on a command line, with parameters if it has any of its own
    seed: int  #: the seed in force
    trace: tuple[str, ...] = ()  #: paths of a recorded workload


def opening_line(origins: Sequence[Origin], moment: Moment) -> str:
    """The command that opens a moment of policies side by side; empty if no command can.

    Files are given by absolute paths, so that it works in any folder.
    """
    first = origins[0]
    if not first.source:
        return ""
    words = ["slotscope", _whole(first.source)]
    for origin in origins:
        words += ["--policy", _with_file(origin.policy, _whole)]
    words += ["--seed", str(first.seed)]
    if first.trace:
        words += ["--trace", *map(_whole, first.trace)]
    return shlex.join([*words, "--event", str(moment)])


def policy_beside(policy: str, folder: Path) -> str:
    """A policy's text, with the path of its file, if it has one, resolved against *folder*."""
    return _with_file(policy, lambda path: file_beside(path, folder))


def file_beside(name: str, folder: Path) -> str:
    """A file's name resolved against *folder*; a name that is no file is returned unchanged."""
    path = folder / name
    return str(path) if path.exists() and (path.suffix or len(Path(name).parts) > 1) else name


def _with_file(policy: str, change: Callable[[str], str]) -> str:
    file = _FILE.fullmatch(policy)
    return change(file["path"]) + (file["rest"] or "") if file else policy


def _whole(name: str) -> str:
    """The absolute path of a file; a name that is no file is returned unchanged."""
    path = Path(name)
    return str(path.absolute()) if path.exists() and (path.suffix or path.parent.name) else name
