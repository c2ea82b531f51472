"""Instance files for jobs with phases.

An instance file has phases, resources and K_max; for each pool its normal servers, token limit
and single-server policy (Hong, Xie & Wang (2023), Appendix B.3); and a list of events with every
random choice in them.  It becomes a scripted scenario under Join-Requesting-Server.
"""

from __future__ import annotations

from typing import Any, Mapping

from slotscope.model.errors import ScenarioError
from slotscope.model.exact import rational
from slotscope.model.scenario.plain import an_object, each, refusal, required

#: The keys of each kind of event besides time, kind, pool and virtual choices.
EVENTS: Mapping[str, tuple[str, ...]] = {
    "arrival": ("type", "job", "token_index"),
    "phase": ("job", "to"),
    "departure": ("job",),
    "tick": ("server", "type"),
}

#: The keys that an event may omit.
_OPTIONAL = ("token_index", "pool", "virtual_choices")


def scenarios(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scripted scenarios of an instance file, as plain data.

    Raises ScenarioError if a part is wrong; KeyError, TypeError, ValueError, AttributeError, IndexError if a part
    is missing or has the wrong form.
    """
    names = _names(data)
    pools = each(data["pools"], "pools", an_object)
    events = each(data["events"], "events", _event)
    return [
        {
            "title": str(data.get("name", ""))[:200],
            "description": str(data.get("purpose", ""))[:4000],
            "system": "phases",
            "run": {"until": _until(events)},
            "servers": {"most_jobs": data["K_max"], "capacity": _amounts(data, "cap")},
            "phases": [{"name": name, "demand": _amounts(data, "req", place)} for place, name in enumerate(names)],
            "workload": {
                "kind": "scripted",
                "initial": [_initial(pool, f"pools[{place}].initial") for place, pool in enumerate(pools)],
                "initial_tokens": [
                    _within(pool, "initial_tokens", f"pools[{place}]") for place, pool in enumerate(pools)
                ],
                "events": events,
            },
            "policy": {
                "name": "jrs",
                "parameters": {"pools": [_pool(pool, names, f"pools[{place}]") for place, pool in enumerate(pools)]},
            },
        }
    ]


def _names(data: Mapping[str, Any]) -> list[str]:
    names = data["phases"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise refusal(names, "a list of names", "phases")
    return names


def _within(table: Mapping[str, Any], key: str, inside: str) -> dict[str, Any]:
    """The object ``table[key]``, empty if there is none."""
    return an_object(table.get(key, {}), f"{inside}.{key}")


def _amounts(data: Mapping[str, Any], key: str, place: int | None = None) -> dict[str, Any]:
    """By resource, the capacity, or the demand in the phase at *place*."""
    amounts = {}
    for number, resource in enumerate(each(data["resources"], "resources", an_object)):
        value = resource[key]
        if place is not None:
            if not isinstance(value, list) or len(value) != len(data["phases"]):
                raise refusal(value, f"{len(data['phases'])} numbers, one for each phase", f"resources[{number}].{key}")
            value = value[place]
        amounts[str(resource["name"])] = value
    return amounts


def _until(events: list[dict[str, Any]]) -> str:
    """A time after the last event, for the end of the run."""
    try:
        return str(rational(events[-1]["t"]) + 1 if events else 1)
    except (TypeError, ValueError, OverflowError):
        return "1"  # the scenario's schema reports what is wrong with that event's time


def _initial(pool: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    if "initial" not in pool:
        return []
    servers = each(pool["initial"], where, an_object)
    return [
        {kind: _within(server, kind, f"{where}[{place}]") for kind in ("real", "virtual")}
        for place, server in enumerate(servers)
    ]


def _event(event: Any, where: str) -> dict[str, Any]:
    """An event with the keys of its kind; its values are checked as part of the scenario."""
    event = an_object(event, where)
    kind = event.get("kind")
    if not isinstance(kind, str) or kind not in EVENTS:
        raise refusal(kind if "kind" in event else "nothing", ", ".join(EVENTS), f"{where}.kind")
    keys = ("t", "kind", *EVENTS[kind], "pool", "virtual_choices")
    for key in keys:
        if key not in _OPTIONAL:
            required(event, key, where)
    for key in event:
        if key not in keys:
            raise ScenarioError(f"found an unknown key, allowed: {', '.join(keys)}", where=f"{where}.{key}")
    return {key: event[key] for key in keys if event.get(key) is not None}


def _pool(pool: Mapping[str, Any], names: list[str], where: str) -> dict[str, Any]:
    """A pool in the form of Join-Requesting-Server's parameters."""
    entries = each(pool["policy"], f"{where}.policy", lambda entry, place: _entry(entry, names, place))
    found = {"servers": pool["L"], "token_limit": pool["eta_max"], "policy": [entry for entry in entries if entry]}
    if pool.get("patch_at_0") is not None:
        patch = an_object(pool["patch_at_0"], f"{where}.patch_at_0")
        found["patch"] = {"rate": patch["rate"], "k0": patch["k0"]}
    return found


def _entry(entry: Any, names: list[str], where: str) -> dict[str, Any]:
    """The policy at one configuration; empty in case 3, the default."""
    entry = an_object(entry, where)
    jobs = entry["k"]
    if not isinstance(jobs, list) or len(jobs) != len(names):
        raise refusal(jobs, f"{len(names)} whole numbers, one for each phase", f"{where}.k")
    case = entry["case"]
    if case == 1:
        return {"k": jobs, "case": 1, "rates": an_object(entry["rates"], f"{where}.rates")}
    if case == 2:
        return {"k": jobs, "case": 2, "prob": an_object(entry["prob"], f"{where}.prob")}
    if case != 3:
        raise refusal(case, "1, 2 or 3", f"{where}.case")
    return {}
