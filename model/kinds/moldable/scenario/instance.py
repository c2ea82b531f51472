"""Instance files for moldable jobs.

An instance file has n, the speed-up s_1, s_2, ... (or ``speedups``, one for each class), and the
arrivals with their requests and inherent sizes, as rationals.  It becomes
a scripted scenario under greedy(p*), which takes the requests from the file.  Results in the file
(free servers, allocations, departures, statistics) are ignored.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping

from slotscope.model.errors import ScenarioError
from slotscope.model.exact import rational
from slotscope.model.scenario.plain import an_object, each, refusal, required

#: The keys of an arrival; the last two are optional.
EVENT = ("job", "arrival", "size", "requested", "class")
_OPTIONAL = ("requested", "class")

#: Alternative keys of the load rho.
_LOAD = ("lambda", "lambda_", "load")


def scenarios(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scripted scenario of an instance file, as plain data.

    Raises ScenarioError if a part is missing or wrong.
    """
    if "events" not in data and ("P" in data or "Q" in data):
        raise ScenarioError(
            "found solutions of the programs (P) and (Q), allowed: an instance with n, speedup and events; 'slotscope "
            "bounds' takes this file"
        )
    classes = _classes(data)
    events = each(required(data, "events"), "events", _event)
    workload: dict[str, Any] = {"kind": "scripted", "arrivals": events}
    load = next((data[key] for key in _LOAD if data.get(key) is not None), None)
    if load is not None:
        workload["load"] = load
    return [
        {
            "title": str(data.get("name", ""))[:200],
            "description": str(data.get("description", ""))[:4000],
            "system": "moldable",
            "run": {"until": _until(events)},
            "servers": {"count": required(data, "n")},
            "classes": classes,
            "workload": workload,
            "policy": {"name": "greedy-p"},
        }
    ]


def _classes(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The classes with their speed-ups, by the names that arrivals may use."""
    if "speedups" not in data:
        return [{"speedup": required(data, "speedup")}]
    if "speedup" in data:
        raise ScenarioError("found speedup and speedups, allowed: one of them")
    speedups = data["speedups"]
    if isinstance(speedups, dict):
        return [{"name": name, "speedup": item} for name, item in speedups.items()]
    if not isinstance(speedups, list):
        raise refusal(speedups, "a list of speed-ups, or an object with one for each class", "speedups")
    names = data.get("classes", [str(number) for number in range(1, len(speedups) + 1)])
    if not isinstance(names, list) or len(names) != len(speedups):
        raise refusal(names, f"{len(speedups)} names, one for each of the speedups", "classes")
    pairs = zip(names, speedups, strict=True)
    return [{"name": _text(name), "speedup": item} for name, item in pairs]


def _text(name: Any) -> Any:
    """A name; integers are allowed as names."""
    return str(name) if isinstance(name, int) and not isinstance(name, bool) else name


def _event(event: Any, where: str) -> dict[str, Any]:
    """An arrival of the script; its values are checked as part of the scenario."""
    event = an_object(event, where)
    for key in EVENT:
        if key not in _OPTIONAL:
            required(event, key, where)
    job = {"time": event["arrival"], "size": event["size"], "job": _text(event["job"])}
    if event.get("requested") is not None:
        job["requested"] = event["requested"]
    if event.get("class") is not None:
        job["class"] = _text(event["class"])
    return job


def _until(events: list[dict[str, Any]]) -> str:
    """A time by which every job has departed: no job runs longer than on one server."""
    try:
        ends = [rational(event["time"]) + rational(event["size"]) for event in events]
    except (TypeError, ValueError, OverflowError):
        return "1"  # the scenario's schema reports what is wrong with the value
    last = max(ends, default=Fraction(1))
    return str(last) if last > 0 else "1"
