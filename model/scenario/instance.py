"""Instance files: small hand-checkable systems with scripted events, as JSON.

An instance file gives sizes, capacity and rewards as rationals, an initial state and a list
of events in which departures are named.  It is read as a scripted scenario, so that it runs
like any other; ``slotscope trace`` prints its events in the same form.
"""

from __future__ import annotations

import json
from typing import Any, Mapping

from model.errors import ScenarioError
from model.exact import rational
from model.scenario.reservation import ReservationScenario
from model.scenario.validation import shown, validated

_VARIANTS = {"dra": "dra"}


def scenario_from_instance(text: str, where: str) -> ReservationScenario:
    """The scripted scenario that an instance file describes.

    Raises
    ------
    ScenarioError
        If the file is not JSON or a part is missing or wrong.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScenarioError(f"not valid JSON: {error}", where=where) from None
    if not isinstance(data, dict):
        raise ScenarioError(f"found {shown(data)}, allowed: an object", where=where)
    try:
        return validated(ReservationScenario, _as_scenario(data))
    except ScenarioError as error:
        raise error.inside(where) from None
    except KeyError as error:
        raise ScenarioError(f"found no key {error}", where=where) from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise ScenarioError(f"a part has the wrong shape: {error}", where=where) from None


def _as_scenario(data: Mapping[str, Any]) -> dict[str, Any]:
    instance = data["instance"]
    names = [str(number + 1) for number in range(len(instance["sizes"]))]
    resources = [f"resource {number + 1}" for number in range(len(instance["capacity"]))]
    priorities = instance.get("priority", [0] * len(names))
    return {
        "title": str(data.get("title", data.get("name", "")))[:200],
        "system": "reservation",
        "resources": [{"name": name} for name in resources],
        "servers": {"count": data["L"], "capacity": dict(zip(resources, instance["capacity"],
                                                             strict=True))},
        "job_types": [
            {"name": name, "demand": dict(zip(resources, sizes, strict=True)), "reward": reward,
             "priority": priority}
            for name, sizes, reward, priority in zip(names, instance["sizes"],
                                                     instance["rewards"], priorities, strict=True)
        ],
        "workload": {"kind": "scripted", "arrivals": _arrivals(data)},
        "initial": _initial(data),
        "policy": {"name": _policy(data), "parameters": {"reservation_factor": data["g"]}},
    }  # fmt: skip


def _policy(data: Mapping[str, Any]) -> str:
    variant, mode = data.get("variant", "dra"), data.get("cra_mode", "event")
    if variant not in _VARIANTS or mode != "event":
        raise ScenarioError(
            f"found the variant {shown(variant)} with cra_mode {shown(mode)}, "
            f"allowed: {', '.join(_VARIANTS)} with cra_mode 'event'",
            where="variant",
        )
    return _VARIANTS[variant]


def _departure_times(data: Mapping[str, Any]) -> dict[str, Any]:
    arrivals = [event["job"] for event in data["events"] if event["ev"] == "arrival"]
    starting = [name for server in data["initial"]["servers"] for name, _ in server.get("jobs", [])]
    leaves = {}
    for position, event in enumerate(data["events"]):
        if event["ev"] == "departure":
            if event["job"] not in {*arrivals, *starting}:
                raise ScenarioError(f"found {shown(event['job'])}, allowed: a job that arrived",
                                    where=f"events[{position}].job")  # fmt: skip
            leaves[event["job"]] = rational(event["t"])
    return leaves


def _arrivals(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    leaves = _departure_times(data)
    arrivals = []
    for position, event in enumerate(data["events"]):
        if event["ev"] == "departure":
            continue
        if event["ev"] != "arrival" or "preempt" in event:
            raise ScenarioError(f"found {shown(event)}, allowed: arrivals and departures",
                                where=f"events[{position}]")  # fmt: skip
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
    order = [{"configuration": item["config"], "servers": item["servers"]}
             for item in data["initial"].get("order", [])]  # fmt: skip
    return {"start": "given", "servers": servers, "order": order}
