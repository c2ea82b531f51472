"""Helpers for tests of forks: straight runs of courses, and decisions that can be forced."""

from __future__ import annotations

from functools import cache
from typing import Any

from slotscope.model.api import Session
from slotscope.model.forks.changes import Deviation
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenario, scenario_titles
from slotscope.model.systems.state import copied, digest

#: For each kind of system: a scenario, a policy with a compiled twin, and a policy that can continue its run.
RUNS = {
    "reservation": ("dra-classroom", "dra", "best-fit"),
    "queue": ("queues-classroom", "vqs-bf", "bf-js"),
    "phases": ("jrs-classroom", "jrs", "first-fit"),
    "moldable": ("moldable-classroom", "greedy-p", "greedy"),
}

#: All built-in scenarios except those whose trace files are missing.
SCENARIOS = tuple(
    name
    for name, _ in scenario_titles()
    if (workload := load_scenario(name).workload).kind != "trace" or getattr(workload, "paths", ())
)


class Straight:
    """A course of a scenario, run event by event without a history."""

    def __init__(self, scenario: str, course: str) -> None:
        self.runs = assemble(load_scenario(scenario), course).runs
        self.state: Any = started(self.runs)
        self.digests = [digest(self.state)]

    def at(self, event: int) -> str:
        """The digest after an event, or after the last one if the run ends before."""
        while len(self.digests) <= event and self.runs.next_event(self.state) is not None:
            run = EventRun(self.runs, self.state)
            run.finish()
            self.state = run.state
            self.digests.append(digest(self.state))
        return self.digests[min(event, len(self.digests) - 1)]


straight = cache(Straight)


def decisions(session: Session, most: int = 4) -> list[str]:
    """The possible decisions at the next event, each with a few of its numbers."""
    line = session.timeline
    choices = session.bench.at(line.event).system.choices(line.state)
    return [
        choice.decision(number)
        for choice in choices
        for number in (sorted({1, 2, choice.most // 2, choice.most} - {0})[:most] if choice.most else (0,))
    ]


def own_decision(session: Session) -> str:
    """The policy's own decision at the next event, as text; empty if it is not a single decision."""
    run = EventRun(session.bench.runs, copied(session.timeline.state))
    run.finish()
    for record in run.records:
        if record.kind in {"admit", "place"} and session.info.system != "queue":
            return f"server={record.server + 1}"  # type: ignore[attr-defined]
        if record.kind == "place":
            return f"job={record.job},server={record.server + 1}"  # type: ignore[attr-defined]
        if record.kind == "allocate":
            return f"servers={record.servers}"  # type: ignore[attr-defined]
        if record.kind == "match":
            return f"token={record.position + 1}"  # type: ignore[attr-defined]
        if record.kind in {"overflow", "reject"}:
            return {"overflow": "backup", "reject": "block" if session.info.system == "moldable" else "reject"}[
                record.kind
            ]
    return ""


def at(event: int, decision: str = "", policy: str = "") -> Deviation:
    """A deviation after an event."""
    return Deviation(event, policy, decision)
