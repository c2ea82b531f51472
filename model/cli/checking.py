"""Checks of a command line before a window opens."""

from __future__ import annotations

import argparse
from pathlib import Path

from slotscope.model.api import Session
from slotscope.model.comparison.companion import companion
from slotscope.model.comparison.runs import too_many_lanes
from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.forks.changes import Course
from slotscope.model.policies import reference_for
from slotscope.model.running.assembly import named_policy
from slotscope.model.scenario.load import load_scenario
from slotscope.model.session.archive import SESSION_SUFFIX


def check_scenario(options: argparse.Namespace, *, asks: bool = False) -> None:
    """Refuse, in one line on the terminal, what the window could only refuse later.

    Traces must exist but are not read, which takes long and has its progress shown in the window.  With
    *asks*, the window asks for a trace if none is named.
    Raises UserError if the scenario, its policy or a file cannot be used.
    """
    for path in map(Path, options.trace):
        if not path.exists():
            raise TraceError("no such file or folder", where=str(path))
    if options.scenario.endswith(SESSION_SUFFIX):
        if not Path(options.scenario).is_file():
            raise ScenarioError("no such file", where=options.scenario)
        return
    scenario = load_scenario(options.scenario)
    lanes = max(1, len(options.policies))
    if options.event is not None and len(options.event.events) > lanes:
        raise too_many_lanes(options.event, lanes).inside("--event")
    for policy in options.policies:
        if course := Course.read(policy).policy:
            reference_for(named_policy(course).name, scenario.system)
    if scenario.workload.kind != "trace" or not (asks or options.trace or scenario.workload.paths):
        session = Session.open(options.scenario, options.policy, options.seed, kernel=False)
        for policy in options.policies[1:]:
            companion(session, policy, kernel=False)
