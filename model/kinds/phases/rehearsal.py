"""A script is run once before it is shown, so that what is wrong with it is said at once."""

from __future__ import annotations

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.scenario.workload import PATCH
from slotscope.model.kinds.phases.state import EVENT, NEXT_VIRTUAL
from slotscope.model.kinds.phases.system import PhaseSystem


def rehearse(system: PhaseSystem) -> None:
    """Run a script once to its end.

    Raises
    ------
    ScenarioError
        If an event cannot happen, or its choices are not those that it needs.
    """
    script = system.script
    if script is None:
        return
    state = system.raw_state()
    for _ in system.start(state):
        pass
    while True:
        state = system.prepared(state)
        given, event = script.event(state), system.next_event(state)
        if event is None:
            return
        before = int(state.number[NEXT_VIRTUAL])
        for record in system.run(state, event, np.zeros(1, system.row_dtype)):
            if record.kind == "recovery_tick" and given.type != PATCH:
                raise script.fault(state, "type", f"found '{given.type}', allowed: '{PATCH}'")
        made, named = int(state.number[NEXT_VIRTUAL]) - before, len(given.virtual_choices)
        if made != named:
            place = int(state.number[EVENT]) - 1
            raise ScenarioError(
                f"found {named}, allowed: {made}, one for each virtual arrival",
                where=f"workload.events[{place}].virtual_choices",
            )
