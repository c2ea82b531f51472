"""Errors that a user can act on.

Every error says where something was found, what was found, what is allowed and, if that helps, what to
do.  The command line prints :attr:`UserError.line` and exits with code 2; the window shows the same
words beside the field.
"""

from __future__ import annotations

import shlex
from difflib import get_close_matches
from pathlib import PurePath
from typing import Iterable
from unicodedata import category

#: The most characters of a place, and of a quoted text of the user.
LONGEST_PLACE, LONGEST_QUOTED = 300, 60


#: The most existing names listed in an error about an unknown one; more would fill several lines of a window.
MOST_NAMED = 12

#: The prefix of the reason in an error about an impossible decision.
IMPOSSIBLE = "the decision is impossible: "


class UserError(Exception):
    """Invalid input, described in one line.

    - *message*: What is wrong and what is allowed, as one sentence without a full stop; a phrase can be translated.
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
        """The same error with *where* in front of its place."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.words, where=place)


def _one_line(text: str) -> str:
    """*text* on one line, without control characters, which a terminal might act on."""
    words = " ".join(text.split())
    return "".join("?" if category(sign) == "Cc" else sign for sign in words)


def _shortened(place: str) -> str:
    return place if len(place) <= LONGEST_PLACE else f"{place[: LONGEST_PLACE - 3]}..."


def quoted(text: str) -> str:
    """A text of the user for a message: in quotes, short, on one line."""
    words = f"'{' '.join(text.split())}'"
    return words if len(words) <= LONGEST_QUOTED else f"{words[: LONGEST_QUOTED - 4]}...'"


class ScenarioError(UserError):
    """A scenario file or field that cannot be used."""


class TraceError(UserError):
    """A workload trace that cannot be read."""


class PolicyError(UserError):
    """A policy that is unknown, or has made an impossible decision."""


class PolicyFileError(PolicyError):
    """A fault of a user policy; the error's place is in its file, and no other place is put in front."""

    def inside(self, where: str) -> PolicyFileError:
        """The same error, unchanged: its place is in the policy's file, wherever that is referenced."""
        return self


class PolicyStoppedError(PolicyFileError):
    """A user policy was stopped at the user's request (Esc), which is not a fault of its file."""


class UntrustedPolicyError(PolicyFileError):
    """A policy file that a scenario or session names, and that the user has not allowed to run."""

    def __init__(self, path: str, text: str, named_by: str = "it") -> None:
        self.path = path
        self.text = text  #: the text of the file and of the modules beside it that it imports
        #: which file wants to run which, in a few words
        self.question = f"{PurePath(named_by).name} wants to run {PurePath(path).name}"
        quoted = shlex.quote(path)
        super().__init__(
            f"{named_by} wants to run {path}, which you have not allowed; look at it, and then: "
            f"slotscope trust {quoted} (or --policy {quoted})"
        )

    def inside(self, where: str) -> UntrustedPolicyError:
        """The same error, with *where* as the file that names the policy."""
        return UntrustedPolicyError(self.path, self.text, where)


class ChangedPolicyError(PolicyFileError):
    """A saved session whose policy file is gone or has changed; the error's place is the session."""

    def inside(self, where: str) -> ChangedPolicyError:
        """The same error, with *where* as the file of the session."""
        return ChangedPolicyError(self.words, where=where)


class UnreadablePolicyError(PolicyFileError):
    """A policy file that does not exist, or is not text."""


class ReplayError(UserError):
    """A replay that did not reproduce the digest recorded for that event."""


def unknown_name(kind: str, name: str, known: Iterable[str], listed: str = "") -> str:
    """The message about a name that does not exist, with the nearest existing name, and all of them.

    If there are too many, the command *listed*, which lists them, is given instead.
    """
    names = sorted(known)
    whole = [each for each in names if name and each.endswith(f"-{name}")]  # the prefix for paper or kind was left out
    near = whole or get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(quoted, near))}? " if near else ""
    told = f"known are {', '.join(names)}"
    if listed and len(names) > MOST_NAMED:
        told = f"'{listed}' names all {len(names)}"
    return f"no {kind} is called {quoted(name)}; {hint}{told}"
