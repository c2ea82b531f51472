"""What a run does otherwise than its policy, as text: ``dra@40:reject@60=best-fit:d=2``.

A lane of a run is named by such a text: the policy that it begins with, then each change with the
number of events after which it is made.  ``@40:reject`` decides the next event otherwise;
``@60=best-fit`` lets another policy, or the same with other parameters, go on from there, and
``@60+{"job_types.0.reward":3}`` an edited scenario.  So one line opens a fork on any machine, and
the tree of all forks of a run is in their texts.

What an edit changes is told as a short text: the values that are others, by their places.
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
    """Something that could be decided of the next event."""

    text: str  #: the decision as text, without its number
    title: str  #: what it means, with ``{}`` where its number stands
    most: int = 0  #: the largest number that it can be given, from 1 on; 0: it takes none
    servers: tuple[int, ...] = ()  #: where its number is a server's, those that it is possible of, from 0; (): unknown

    def decision(self, number: int) -> str:
        """The text of the decision with a number."""
        return f"{self.text}={number}" if self.most else self.text


#: Decisions that a menu offers at most, and numbers of one of them.
MOST_OFFERED, MOST_NUMBERS = 14, 6


def offered(choices: Sequence[Choice], server: int = -1, job: int = -1) -> list[tuple[str, str]]:
    """What a menu offers of *choices*: words and decision of each; of a *server* or *job*, from 0, what is about it.

    What is known to be possible of the server comes first: of a long queue each job could go there.
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
    """What happens otherwise after *event* events.

    Another *policy* goes on, a *decision* is forced, or there are *edits* of the scenario
    (:func:`edits_between`): one of these.
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
        """The course that :meth:`__str__` writes; a text without a change is a policy.

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
        """The run that the last change leaves."""
        return Course(self.policy, self.changes[:-1])

    def parting(self, other: Course) -> int | None:
        """After how many events two courses part; None: they are the same."""
        if self.policy != other.policy:
            return 0
        pairs = zip(self.changes, other.changes, strict=False)
        same = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(self.changes), len(other.changes)))
        parting = [change.event for change in (*self.changes[same:][:1], *other.changes[same:][:1])]
        return min(parting, default=None)


def short_words(policy: PolicyChoice, changes: Sequence[Deviation]) -> list[str]:
    """What each change of a run that begins with *policy* does; where only parameters are other ones, those alone."""
    told = []
    for change in changes:
        words, other = change.words, policy_choice(change.policy) if change.policy else policy
        if change.policy and other.name == policy.name:  # what is not given stays
            new = [key for key, value in other.parameters.items() if policy.parameters.get(key) != value]
            words = ", ".join(f"{key}={value_text(other.parameters[key])}" for key in new) or words
            other = other.model_copy(update={"parameters": policy.parameters | other.parameters})
        told.append(f"{words} @{change.event}")
        policy = other
    return told


def forced_words(decision: str, allowed: str, known: Collection[set[str]]) -> Mapping[str, int]:
    """The words of a decision with their numbers, such as ``job=12,server=3``; 0 where one has none.

    Raises PolicyError if it is not of that form, or its words are none of the *known* sets; *allowed* says what
    is.
    """
    parts = [_WORD.fullmatch(part.strip()) for part in decision.split(",")]
    found = {part["word"]: int(part["number"] or 0) for part in parts if part is not None}
    if len(found) != len(parts) or set(found) not in known:
        raise PolicyError(f"found the decision '{decision}', allowed: {allowed}")
    return found


def edits_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The JSON object that :func:`edited_by` takes, such as ``{"job_types.0.reward":"3"}``; empty: nothing differs."""
    found = dict(_differences("", before, after))
    return json.dumps(found, separators=(",", ":")) if found else ""


def _differences(place: str, before: Any, after: Any) -> Iterator[tuple[str, Any]]:
    """Each place whose value differs; one that came or went changes what holds it as a whole."""
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
    """Plain data of a scenario with the values of *text* at their places.

    Raises ScenarioError if the text is no such object, or a place is none of the scenario's.
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
    """A part of a place, in what it leads into: lists are counted."""
    return int(part) if isinstance(holder, list) else part
