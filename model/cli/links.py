"""Links that open a moment: ``slotscope://open?scenario=dra-vms&policy=dra&seed=7&event=40.3``.

A link may come from anywhere, and is opened by a click.  So it names only what every copy of the program has: its own
scenarios, its own policies, and a moment.  It never names a file, neither of a policy nor of a scenario, a plan or a
trace, and nothing of an installed package.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, quote

from slotscope.model import packages
from slotscope.model.cli.parser import MOST_POLICIES, UsageError
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Course
from slotscope.model.policies import POLICIES, is_own
from slotscope.model.policies.choice import policy_choice
from slotscope.model.running.origin import Moment, Origin
from slotscope.model.scenario.files import scenario_files

_OPEN = "slotscope://open?"

#: The most characters of a link, and its possible fields, each with the most times that it may occur.
_LONGEST = 2000
_FIELDS = {"scenario": 1, "policy": MOST_POLICIES, "seed": 1, "event": 1}

#: A number written as a fraction; and the ending of a file name.
_FRACTION = re.compile(r"[0-9]+/[0-9]+")
_ENDING = re.compile(r"\.[A-Za-z]\w*$")

_ALLOWED = f"{_OPEN}scenario=NAME&policy=NAME&seed=S&event=N, with a built-in scenario and built-in policies"


def link_of(origins: Sequence[Origin], moment: Moment) -> str:
    """The link that opens a moment; empty if it would have to name a file, or something of a package."""
    first = origins[0]
    try:
        _check(first.source, [origin.policy for origin in origins])
    except UserError:
        return ""
    if first.trace:
        return ""
    fields = [("scenario", first.source), *(("policy", one.policy) for one in origins)]
    fields += [("seed", str(first.seed)), ("event", str(moment))]
    link = _OPEN + "&".join(f"{name}={quote(value, safe=':,=^@.')}" for name, value in fields)
    return link if len(link) <= _LONGEST else ""


def words_of_link(link: str) -> list[str]:
    """The command line that opens the moment of a link.

    Raises UsageError if *link* is not a link, or names anything that is not built in.
    """
    fields = _fields(link)
    scenario, policies = fields["scenario"][0], fields.get("policy", [])
    try:
        _check(scenario, policies)
    except UserError as error:
        raise _refused(link, error.message) from None
    words = [scenario, *(f"--policy={policy}" for policy in policies)]
    return [*words, *(f"--{name}={fields[name][0]}" for name in ("seed", "event") if name in fields)]


def _fields(link: str) -> dict[str, list[str]]:
    """The values in a link, by field."""
    if len(link) > _LONGEST:
        raise _refused(link, f"it has more than {_LONGEST} letters")
    if not link.startswith(_OPEN):
        raise _refused(link, f"it does not begin with {_OPEN}")
    try:
        pairs = parse_qsl(link.removeprefix(_OPEN), strict_parsing=True, errors="strict", max_num_fields=10)
    except ValueError:
        raise _refused(link, "its fields cannot be read") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in _FIELDS or not value.isprintable():
            raise _refused(link, f"it says {name!r}" if name not in _FIELDS else f"{name} is not printable")
        found.setdefault(name, []).append(value)
        if len(found[name]) > _FIELDS[name]:
            raise _refused(link, f"it says {name} {len(found[name])} times")
    if "scenario" not in found:
        raise _refused(link, "it names no scenario")
    return found


def _check(scenario: str, policies: Sequence[str]) -> None:
    """Refuse what is not in every copy of the program. Raises UserError with a short reason."""
    if scenario not in scenario_files() or scenario in packages.offered("scenarios"):
        raise UserError("the scenario is no built-in one")
    for text in policies:
        course = Course.read(text)
        for policy in filter(None, (course.policy, *(change.policy for change in course.changes))):
            choice = policy_choice(policy)
            if is_own(choice.name) or choice.name not in POLICIES:
                raise UserError("a policy is no built-in one")
            if any(map(_names_a_file, _texts(choice.parameters))):
                raise UserError("a parameter names a file")
        for change in course.changes:
            _check_edits(change.edits)


def _check_edits(text: str) -> None:
    """Refuse edits of a scenario that name a file, or a policy that is not built in."""
    try:
        edits = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise UserError("an edit cannot be read") from None
    if any(map(_names_a_file, _texts(edits))):
        raise UserError("an edit names a file")
    if any(name not in POLICIES for name in _policies_in(edits)):
        raise UserError("an edit names a policy that is no built-in one")


def _policies_in(edits: Any) -> Iterator[Any]:
    """The policy names in edits: by path, in the policy's table, or in a whole scenario."""
    if isinstance(edits, Mapping):
        if "policy.name" in edits:
            yield edits["policy.name"]
        if isinstance(table := edits.get("policy"), Mapping):
            yield table.get("name")
        yield from _policies_in(edits.get(""))


def _texts(value: Any) -> Iterator[str]:
    """All texts in parameters, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _names_a_file(text: str) -> bool:
    path = "/" in text and not _FRACTION.fullmatch(text)
    there = os.path.exists(text)  # noqa: PTH110 (no fault where a name is too long for a file)
    return path or there or "\\" in text or text.startswith("~") or bool(_ENDING.search(text))


def _refused(link: str, why: str) -> UsageError:
    return UsageError(f"this link is not opened: {why}; allowed: {_ALLOWED}", where=link[:80])
