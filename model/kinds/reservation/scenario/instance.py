"""Instance files for the loss system.

An instance file has sizes, capacity and rewards as rationals, an initial state, and a list
of events with explicit departures.
"""

from __future__ import annotations

from typing import Any, Mapping

from slotscope.model.errors import ScenarioError
from slotscope.model.exact import rational
from slotscope.model.scenario.validation import shown

#: The variants by (variant, cra_mode) in instance files: policy and parameters.
VARIANTS: Mapping[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("dra", "event"): ("dra", {}),
    ("nomig", "event"): ("dra-no-migration", {}),
    ("nomig-ext", "event"): ("dra-no-migration", {"extended": True}),
    ("dra", "periodic"): ("dra-periodic", {}),
}

#: The values of an arrival's key ``preempt`` in instance files, with the parameter ``retry`` for each.
_RETRY = {True: False, "retry": True}


def scenarios(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scripted scenario of an instance file, as plain data.

    Raises ScenarioError if a part is wrong; KeyError, TypeError, ValueError, AttributeError, IndexError if a part
    is missing or has the wrong form.
    """
    return [_as_scenario(data)]


def _as_scenario(data: Mapping[str, Any]) -> dict[str, Any]:
    instance = data["instance"]
    names = [str(number + 1) for number in range(len(instance["sizes"]))]
    resources = [f"resource {number + 1}" for number in range(len(instance["capacity"]))]
    priorities = instance.get("priority", [0] * len(names))
    return {
        "title": str(data.get("title", data.get("name", "")))[:200],
        "system": "reservation",
        "resources": [{"name": name} for name in resources],
        "servers": {"count": data["L"], "capacity": dict(zip(resources, instance["capacity"], strict=True))},
        "job_types": [
            {"name": name, "demand": dict(zip(resources, sizes, strict=True)), "reward": reward, "priority": priority}
            for name, sizes, reward, priority in zip(
                names, instance["sizes"], instance["rewards"], priorities, strict=True
            )
        ],
        "workload": {"kind": "scripted", "arrivals": _arrivals(data)},
        "initial": _initial(data),
        "policy": _policy(data),
    }


def _policy(data: Mapping[str, Any]) -> dict[str, Any]:
    variant, mode = data.get("variant", "dra"), data.get("cra_mode", "event")
    if (variant, mode) not in VARIANTS:
        known = " or ".join(f"{name} with cra_mode '{how}'" for name, how in VARIANTS)
        raise ScenarioError(
            f"found the variant {shown(variant)} with cra_mode {shown(mode)}, allowed: {known}", where="variant"
        )
    name, parameters = VARIANTS[variant, mode]
    parameters = {"reservation_factor": data["g"], **parameters}
    if mode == "periodic":
        parameters["times"] = _update_times(data)
    retry = _retry(data)
    if retry is None:
        return {"name": name, "parameters": parameters}
    if name != "dra":
        raise ScenarioError(
            f"found arrivals with preempt under {shown(variant)} with cra_mode "
            f"{shown(mode)}, allowed: dra with cra_mode 'event'",
            where="events",
        )
    return {"name": "dra-preemption", "parameters": parameters | {"retry": retry}}


def _update_times(data: Mapping[str, Any]) -> list[str]:
    times = [str(rational(event["t"])) for event in data["events"] if event["ev"] == "cra"]
    return times or ["0"]  # the update at time 0 is the initialization; there are no others


def _retry(data: Mapping[str, Any]) -> bool | None:
    """Whether the admission of rejected jobs is tried again after preemptions; None without preemption."""
    priorities = data["instance"].get("priority", [0] * len(data["instance"]["sizes"]))
    arrivals = [event for event in data["events"] if event["ev"] == "arrival"]
    asked = [event for event in arrivals if "preempt" in event]
    if not asked:
        return None
    first = asked[0]["preempt"]
    for position, event in enumerate(arrivals):
        entitled = priorities[event["type"] - 1] > 0
        if first not in _RETRY or event.get("preempt", first if not entitled else None) != first:
            raise ScenarioError(
                f"found preempt = {shown(event.get('preempt'))}, allowed: true at every arrival "
                "of a type of priority 1 or more, or 'retry' at each of them",
                where=f"events, arrival {position + 1}",
            )
    return _RETRY[first]


def _departure_times(data: Mapping[str, Any]) -> dict[str, Any]:
    arrivals = [event["job"] for event in data["events"] if event["ev"] == "arrival"]
    starting = [name for server in data["initial"]["servers"] for name, _ in server.get("jobs", [])]
    leaves = {}
    for position, event in enumerate(data["events"]):
        if event["ev"] == "departure":
            if event["job"] not in {*arrivals, *starting}:
                raise ScenarioError(
                    f"found {shown(event['job'])}, allowed: a job that arrived", where=f"events[{position}].job"
                )
            leaves[event["job"]] = rational(event["t"])
    return leaves


def _arrivals(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    leaves = _departure_times(data)
    periodic = data.get("cra_mode") == "periodic"
    arrivals = []
    for position, event in enumerate(data["events"]):
        if event["ev"] == "departure" or (event["ev"] == "cra" and periodic):
            continue
        if event["ev"] != "arrival":
            raise ScenarioError(
                f"found {shown(event)}, allowed: arrivals and departures, and 'cra' with cra_mode 'periodic'",
                where=f"events[{position}]",
            )
        job = {"time": event["t"], "type": str(event["type"]), "job": event["job"]}
        if event["job"] in leaves:
            job["service"] = str(leaves[event["job"]] - rational(event["t"]))
        arrivals.append(job)
    return arrivals


def _initial(data: Mapping[str, Any]) -> dict[str, Any]:
    leaves = _departure_times(data)
    servers = []
    for server in data["initial"]["servers"]:
        jobs = []
        for name, job_type in server.get("jobs", []):
            job = {"type": str(job_type), "job": name}
            if name in leaves:
                job["service"] = str(leaves[name])
            jobs.append(job)
        content: dict[str, Any] = {"jobs": jobs}
        if "config" in server:
            content["configuration"] = server["config"]
        servers.append(content)
    order = [{"configuration": item["config"], "servers": item["servers"]} for item in data["initial"].get("order", [])]
    return {"start": "given", "servers": servers, "order": order}
