"""Errors that a user can act on.

Every error names where something was found, what was found, what is allowed and,
where it helps, what to do.  The command line prints :attr:`UserError.line` and exits
with code 2; the window shows the same words beside the field.
"""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from pathlib import PurePath
from typing import Iterable
from unicodedata import category

#: Longer names of places, and longer texts of users, are cut.
LONGEST_PLACE, LONGEST_QUOTED = 300, 60


#: Names that are told one by one where another one was found; more of them fill the lines of a window.
MOST_NAMED = 12

#: What stands before the reason where a policy decides what cannot be.
IMPOSSIBLE = "the decision is impossible: "


class UserError(Exception):
    """Input that cannot be used, told in one line.

    - *message*: What is wrong and what is allowed, as one sentence without a final stop; a phrase can be said in
      another language.
    - *where*: A file, or a field's path such as ``job_types[2].reward``; may be empty.
    """

    def __init__(self, message: str, *, where: str = "") -> None:
        self.words = message
        self.message = _one_line(message)
        self.where = _shortened(_one_line(where))
        super().__init__(self.line)

    @property
    def line(self) -> str:
        """The whole error as one line of text."""
        return f"{self.where}: {self.message}" if self.where else self.message

    def inside(self, where: str) -> UserError:
        """The same error with *where* put in front of its own place."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.words, where=place)


def _one_line(text: str) -> str:
    """*text* on one line, with nothing in it that a terminal would act on."""
    words = " ".join(text.split())
    return "".join("?" if category(sign) == "Cc" else sign for sign in words)


def _shortened(place: str) -> str:
    return place if len(place) <= LONGEST_PLACE else f"{place[: LONGEST_PLACE - 3]}..."


def quoted(text: str) -> str:
    """What a user wrote, as it may stand in a sentence: in quotes, short, on one line."""
    words = f"'{' '.join(text.split())}'"
    return words if len(words) <= LONGEST_QUOTED else f"{words[: LONGEST_QUOTED - 4]}...'"


class ScenarioError(UserError):
    """A scenario file or field that cannot be used."""


class TraceError(UserError):
    """A workload trace that cannot be read."""


class PolicyError(UserError):
    """A policy that is unknown, or made a decision that is impossible."""


class PolicyFileError(PolicyError):
    """A fault of a policy of one's own; it names that file, and nothing is put in front."""

    def inside(self, where: str) -> PolicyFileError:
        """The same error: the place is in the policy's file, wherever that was named."""
        return self


class PolicyStoppedError(PolicyFileError):
    """A policy of one's own was stopped because somebody asked for it (Esc), which is no fault of its file."""


class UntrustedPolicyError(PolicyFileError):
    """A policy's file that a scenario or a session names, and nobody has allowed to run."""

    def __init__(self, path: str, text: str, named_by: str = "it") -> None:
        self.path = path
        self.text = text  #: what stands in the file and in the modules beside it that it imports
        #: which file wants what, in a few words
        self.question = f"{PurePath(named_by).name} wants to run {PurePath(path).name}"
        quoted = shlex.quote(path)
        super().__init__(
            f"{named_by} wants to run {path}, which you have not allowed; look at it, and then: "
            f"slotscope trust {quoted} (or --policy {quoted})"
        )

    def inside(self, where: str) -> UntrustedPolicyError:
        """The same error, told of the file *where* that names the policy."""
        return UntrustedPolicyError(self.path, self.text, where)


class ChangedPolicyError(PolicyFileError):
    """A saved session whose policy's file is gone, or has another text by now; its place is the session."""

    def inside(self, where: str) -> ChangedPolicyError:
        """The same error, told of the file *where* in which the session is kept."""
        return ChangedPolicyError(self.words, where=where)


class UnreadablePolicyError(PolicyFileError):
    """A policy's file that is not there, or is no text."""


class ReplayError(UserError):
    """A replay that did not land on the digest recorded for that event."""


def unknown_name(kind: str, name: str, known: Iterable[str], listed: str = "") -> str:
    """A sentence for a name that does not exist, with the nearest one that does, and all of them.

    Where these fill lines the command *listed* is told that lists them, in their place.
    """
    names = sorted(known)
    whole = [each for each in names if name and each.endswith(f"-{name}")]  # its paper or kind was left out
    near = whole or get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(quoted, near))}? " if near else ""
    told = f"known are {', '.join(names)}"
    if listed and len(names) > MOST_NAMED:
        told = f"'{listed}' names all {len(names)}"
    return f"no {kind} is called {quoted(name)}; {hint}{told}"
