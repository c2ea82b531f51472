"""Instance files of the queueing system.

An instance file gives L servers, their capacity, J of the partition (or none), scripted arrivals
with exact sizes, and a list of ``runs``: the algorithms, each with options, that serve them.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple

from slotscope.model.errors import ScenarioError
from slotscope.model.exact import rational
from slotscope.model.scenario.plain import an_object, each, refusal, required
from slotscope.model.scenario.validation import shown


class _Algorithm(NamedTuple):
    """A policy of the program, and the names of its parameters by the options of instance files."""

    policy: str
    options: Mapping[str, str]
    has_depth: bool = False


_STALL = {"stall": "stall"}
_RENEW = {"renew": "renew", "renew_mode": "renew_mode"}
_PARTITION = {**_RENEW, **_STALL, "gamma": "gamma"}

#: The algorithms as instance files name them.
ALGORITHMS: Mapping[str, _Algorithm] = {
    "FIFO-FF": _Algorithm("fifo-ff", {"fifo_skip": "skip"}),
    "BF-J": _Algorithm("bf-j", _STALL),
    "BF-S": _Algorithm("bf-s", _STALL),
    "BF-J/S": _Algorithm("bf-js", _STALL),
    "VQS": _Algorithm("vqs", {**_PARTITION, "vqs_skip": "skip"}, has_depth=True),
    "VQS-BF": _Algorithm("vqs-bf", _PARTITION, has_depth=True),
    "MW": _Algorithm("max-weight", {**_RENEW, "preemptive": "preemptive"}),
}

#: Option values that have another name in the program.
_SAME: Mapping[tuple[str, str], str] = {
    ("renew_mode", "snapshot"): "together",
    **{("score", text): "inner-product" for text in ("inner", "inner product", "inner_product")},
}

#: The default values of options: an algorithm without an option accepts the default.
#: gamma has no effect by itself, so that every algorithm accepts it.
_DEFAULTS: Mapping[str, Any] = {
    "fifo_skip": False,
    "vqs_skip": False,
    "stall": False,
    "renew": "after",
    "renew_mode": "together",
    "preemptive": False,
    "gamma": None,
    "score": "inner-product",
}


def scenarios(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scripted scenarios that an instance file describes, one for each run, as plain data.

    Raises ScenarioError if a part is wrong; KeyError, TypeError, ValueError, AttributeError, IndexError if a part
    is missing or has another shape.
    """
    runs, servers, arrivals = each(data["runs"], "runs", an_object), _servers(data), _arrivals(data)
    common = {
        "description": str(data.get("description", ""))[:4000],
        "system": "queue",
        "run": {"until": data["slots"]},
        "servers": servers,
        "workload": {"kind": "scripted", "arrivals": arrivals},
    }
    name = str(data.get("name", ""))
    return [
        {
            "policy": _policy(run, data.get("J"), f"runs[{place}]"),
            **common,
            "title": f"{name} {_label(run)}".strip()[:200],
        }
        for place, run in enumerate(runs)
    ]


def _servers(data: Mapping[str, Any]) -> dict[str, Any]:
    capacity = data["capacity"]
    if isinstance(capacity, list):
        capacity = {f"resource {number}": amount for number, amount in enumerate(capacity, 1)}
        if len(capacity) == 1:
            (capacity,) = capacity.values()
    return {"count": data["L"], "capacity": capacity}


def _arrivals(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arrivals in order of slot; those of one slot keep their order in the file."""
    return sorted(each(data["arrivals"], "arrivals", _arrival), key=lambda arrival: int(arrival["slot"]))


def _arrival(job: Any, where: str) -> dict[str, Any]:
    job = an_object(job, where)
    name, slot, size = (required(job, key, where) for key in ("id", "slot", "size"))
    if not isinstance(slot, int) or isinstance(slot, bool) or slot < 0:
        raise refusal(slot, "a whole number of at least 0", f"{where}.slot")
    service = {} if job.get("service") is None else {"service": job["service"]}
    return {"slot": slot, "size": _size(size, f"{where}.size"), "job": str(name), **service}


def _size(value: Any, where: str) -> Any:
    """A size, which must be above 0; checked here, where its place in the file is still known."""
    sizes = value if isinstance(value, list) else [value]
    try:
        if not sizes or any(isinstance(size, bool) or rational(size) < 0 for size in sizes):
            raise ValueError
        if not any(map(rational, sizes)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise refusal(value, "a number above 0, or text such as '3/5'", where) from None
    return value


def _label(run: Mapping[str, Any]) -> str:
    options = run.get("options") or {}
    told = [name if value is True else f"{name} = {value}" for name, value in options.items()]
    return ", ".join([str(run.get("algo", "")), *told])


def _letters(name: object) -> str:
    return re.sub(r"[^a-z]", "", str(name).lower())


def _policy(run: Mapping[str, Any], depth: Any, where: str) -> dict[str, Any]:
    known = {_letters(name): algorithm for name, algorithm in ALGORITHMS.items()}
    algorithm = known.get(_letters(run.get("algo", "")))
    if algorithm is None:
        raise refusal(run.get("algo", "nothing"), ", ".join(ALGORITHMS), f"{where}.algo")
    options = an_object(run.get("options") or {}, f"{where}.options")
    parameters = {}
    for name, given in options.items():
        value = _SAME.get((name, str(given)), given)
        if name in algorithm.options:
            parameters[algorithm.options[name]] = value
        elif name not in _DEFAULTS or _DEFAULTS[name] not in (None, value):
            allowed = ", ".join(algorithm.options) or "none"
            raise ScenarioError(
                f"found {shown(value)}, allowed for {run['algo']}: the options {allowed}",
                where=f"{where}.options.{name}",
            )
    if algorithm.has_depth and depth is not None:
        parameters["j"] = depth
    return {"name": algorithm.policy, "parameters": parameters}
