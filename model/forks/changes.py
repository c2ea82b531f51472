"""The changes that a fork makes to a run, as text: ``dra@40:reject@60=best-fit:d=2``.

A lane of a run is named by such a text: the policy that it begins with, then each change with the
number of events after which it is made.  ``@40:reject`` forces a decision in the next event;
``@60=best-fit`` goes on under another policy, or the same with other parameters, and
``@60+{"job_types.0.reward":3}`` under an edited scenario.  So one line opens a fork on any machine, and
the texts of all forks of a run contain their tree.

An edit is written as a short text, too: the changed values by their paths in the scenario.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Collection, Iterator, Mapping, NamedTuple, Sequence

from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.policies.choice import policy_choice, value_text, without_folder
from slotscope.model.scenario.common import PolicyChoice

_CHANGE = re.compile(r"@([0-9]{1,13})([:=+])")
_SIGNS = {"=": "policy", ":": "decision", "+": "edits"}
_WORD = re.compile(r"(?P<word>[a-z]+)(?:=(?P<number>[0-9]{1,13}))?")


class Choice(NamedTuple):
    """A decision that a fork can force in the next event."""

    text: str  #: the decision as text, without its number
    title: str  #: what it means, with ``{}`` in place of its number
    most: int = 0  #: the largest number that it takes, from 1 on; 0: it takes none
    servers: tuple[int, ...] = ()  #: if its number is a server's, the possible servers, from 0; empty: unknown

    def decision(self, number: int) -> str:
        """The text of the decision with a number."""
        return f"{self.text}={number}" if self.most else self.text


#: The most decisions that a menu offers, and the most numbers of one decision.
MOST_OFFERED, MOST_NUMBERS = 14, 6


def offered(choices: Sequence[Choice], server: int = -1, job: int = -1) -> list[tuple[str, str]]:
    """The entries (words, decision) of a menu of *choices*; if a *server* or *job* is given, from 0, those about it.

    Decisions that are known to be possible for the server come first: from a long queue, each job could go there.
    """
    of_job = [choice for choice in choices if choice.text.startswith(f"job={job},")]
    found = []
    for choice in of_job or sorted(choices, key=lambda choice: server not in choice.servers):
        numbers = range(1, choice.most + 1) if choice.most <= MOST_NUMBERS else ()
        if choice.text.endswith("server") and 0 <= server < choice.most:
            numbers = range(server + 1, server + 1 + (server in (choice.servers or (server,))))
        found += [(choice.title.format(number), choice.decision(number)) for number in numbers if choice.most]
        found += [] if choice.most else [(choice.title, choice.text)]
    return found[:MOST_OFFERED]


@dataclass(frozen=True)
class Deviation:
    """A change of a run after *event* events.

    One of these: another *policy* takes over, a *decision* is forced in the next event, or there are *edits* of the
    scenario (:func:`edits_between`).
    """

    event: int
    policy: str = ""
    decision: str = ""
    edits: str = ""

    def __str__(self) -> str:
        sign, what = next((sign, what) for sign, name in _SIGNS.items() if (what := getattr(self, name)))
        return f"@{self.event}{sign}{what}"

    @property
    def words(self) -> str:
        """The change as a name shows it."""
        return without_folder(self.policy) or self.decision or "an edited scenario"


@dataclass(frozen=True)
class Course:
    """The policy that a run begins with, as it is named on a command line, and its changes in order."""

    policy: str
    changes: tuple[Deviation, ...] = ()

    @classmethod
    def read(cls, text: str) -> Course:
        """Parse a course as :meth:`__str__` writes it; a text without changes is a policy.

        Raises PolicyError if a change is empty, or comes before an earlier one.
        """
        policy, *rest = _CHANGE.split(text)
        changes = []
        for event, sign, what in zip(rest[::3], rest[1::3], map(str.strip, rest[2::3]), strict=True):
            if not what:
                raise PolicyError(
                    f"found '@{event}{sign}' and nothing after it, allowed: '@{event}:DECISION' or '@{event}=POLICY'"
                )
            changes.append(Deviation(int(event), **{_SIGNS[sign]: what}))
        for one, other in pairwise(changes):
            if other.event < one.event:
                raise PolicyError(f"found '{other}' after '{one}', allowed: changes in order of their events")
        return cls(policy, tuple(changes))

    def __str__(self) -> str:
        return self.policy + "".join(map(str, self.changes))

    @property
    def left(self) -> Course:
        """The run that the last change forks from."""
        return Course(self.policy, self.changes[:-1])

    def parting(self, other: Course) -> int | None:
        """The number of events after which two courses differ; None if they are the same."""
        if self.policy != other.policy:
            return 0
        pairs = zip(self.changes, other.changes, strict=False)
        same = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(self.changes), len(other.changes)))
        parting = [change.event for change in (*self.changes[same:][:1], *other.changes[same:][:1])]
        return min(parting, default=None)


def short_words(policy: PolicyChoice, changes: Sequence[Deviation]) -> list[str]:
    """A label for each change of a run that begins with *policy*; if only parameters change, those alone."""
    told = []
    for change in changes:
        words, other = change.words, policy_choice(change.policy) if change.policy else policy
        if change.policy and other.name == policy.name:  # parameters that are not given stay
            new = [key for key, value in other.parameters.items() if policy.parameters.get(key) != value]
            words = ", ".join(f"{key}={value_text(other.parameters[key])}" for key in new) or words
            other = other.model_copy(update={"parameters": policy.parameters | other.parameters})
        told.append(f"{words} @{change.event}")
        policy = other
    return told


def forced_words(decision: str, allowed: str, known: Collection[set[str]]) -> Mapping[str, int]:
    """The words of a decision with their numbers, such as ``job=12,server=3``; 0 where one has none.

    Raises PolicyError if it is not of that form, or its set of words is not among *known*; *allowed* describes the
    decisions that are.
    """
    parts = [_WORD.fullmatch(part.strip()) for part in decision.split(",")]
    found = {part["word"]: int(part["number"] or 0) for part in parts if part is not None}
    if len(found) != len(parts) or set(found) not in known:
        raise PolicyError(f"found the decision '{decision}', allowed: {allowed}")
    return found


def edits_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The edits as JSON for :func:`edited_by`, such as ``{"job_types.0.reward":"3"}``; empty if nothing differs."""
    found = dict(_differences("", before, after))
    return json.dumps(found, separators=(",", ":")) if found else ""


def _differences(place: str, before: Any, after: Any) -> Iterator[tuple[str, Any]]:
    """The paths whose values differ; where keys or items were added or removed, the whole container is one value."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = [(key, before[key], after[key]) for key in before]
        if not any("." in key for key in before):
            for key, one, other in pairs:
                yield from _differences(f"{place}.{key}".lstrip("."), one, other)
            return
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(f"{place}.{number}", one, other)
        return
    if before != after:
        yield place, after


def edited_by(data: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A scenario's plain data with the values of the edits *text* set at their paths.

    Raises ScenarioError if the text is no such JSON object, or a path is not in the scenario.
    """
    try:
        edits, result = json.loads(text), json.loads(json.dumps(data))
        for place, value in edits.items():
            if not place:
                return dict(value)
            *path, last = place.split(".")
            holder = result
            for part in path:
                holder = holder[_key(holder, part)]
            holder[_key(holder, last)] = value
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise ScenarioError(
            f"found the edit '{text[:80]}', allowed: values by their places, such as {{\"job_types.0.reward\":3}}"
        ) from None
    return dict(result)


def _key(holder: Any, part: str) -> int | str:
    """A component of a path as the key of *holder*: an index if that is a list."""
    return int(part) if isinstance(holder, list) else part
