"""The digests of all built-in scenarios under all their policies.

``python -m tests.contract.digests`` writes the table again; a commit that does so says which
runs changed, and why they had to.
"""

from __future__ import annotations

import json
from pathlib import Path

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.policies import POLICIES_OF
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import digest

TABLE = Path(__file__).with_name("digests.json")

#: Events of a run, by whether the policy has a kernel.
EVENTS = {True: 10_000, False: 1_000}

#: The entry in place of the digest if the policy refuses the scenario.
REFUSED = "refused"


def runs() -> list[tuple[str, str]]:
    """(scenario, policy) of each run: scenarios that read no trace file."""
    found = [(name, load_scenario(name)) for name in scenario_files()]
    return [
        (name, policy)
        for name, scenario in found
        if scenario.workload.kind != "trace"
        for policy in POLICIES_OF[scenario.system]
    ]


def digest_of_run(scenario: str, policy: str) -> str:
    """The event and the digest at the end of the run, or that the policy refuses the scenario."""
    try:
        session = Session.open(scenario, policy=policy)
        session.run(events=EVENTS[session.bench.has_kernel])
    except UserError:
        return REFUSED
    return f"{session.timeline.event} {digest(session.timeline.state)}"


def known() -> dict[str, dict[str, str]]:
    """Read the table: for each scenario, the digest under each policy."""
    table: dict[str, dict[str, str]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def main() -> None:
    """Write the table."""
    table: dict[str, dict[str, str]] = {}
    for scenario, policy in runs():
        table.setdefault(scenario, {})[policy] = digest_of_run(scenario, policy)
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
