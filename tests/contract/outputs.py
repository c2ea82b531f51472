"""What the commands print with ``--json`` for all built-in scenarios.

``python -m tests.contract.outputs`` writes the table again; a commit that does so says which
outputs changed, and why they had to.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shlex
from pathlib import Path
from typing import Any

from slotscope import __main__ as slotscope
from tests.contract.digests import runs
from tests.runs import ran

TABLE = Path(__file__).with_name("outputs.json")

#: Events of the run that ``run`` measures; the first fifth is left out.
EVENTS = 3_000


def scenarios() -> list[str]:
    """The scenarios that read no trace file."""
    return sorted({scenario for scenario, _ in runs()})


def commands(scenario: str) -> list[str]:
    """The commands whose output is recorded for a scenario."""
    session = ran(scenario, kernel=True, events=EVENTS)
    time = session.timeline.time
    return [
        f"run {scenario} --until {time:.6g} --warmup {time / 5:.6g} --seed 7",
        f"trace {scenario} --events 20",
        f"bounds {scenario}",
        f"verify {scenario} --events 100",
    ]


def answer(command: str) -> Any:
    """The output of a command: as data, a trace as a hash of its text."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = slotscope.main(shlex.split(f"{command} --json"))
    assert code == 0, f"{command} ends with {code}"
    text = said.getvalue()
    if command.startswith("trace"):
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return json.loads(text)


def known() -> dict[str, dict[str, Any]]:
    """Read the table: for each scenario, the output of each of its commands."""
    table: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def main() -> None:
    """Write the table."""
    table = {name: {one: answer(one) for one in commands(name)} for name in scenarios()}
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
