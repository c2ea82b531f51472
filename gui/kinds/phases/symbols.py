"""The notation of record values of jobs with phases beside pseudocode."""

from __future__ import annotations

import html
from typing import Any, Mapping

from slotscope.gui.kinds.phases.wording import amount_text, configuration_text
from slotscope.gui.panels.algorithm_symbols import Symbol, left_out, numbered_job, server, servers
from slotscope.model.reporting.frame import RunInfo


def _jobs(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    if isinstance(value, int):
        return str(value)
    return html.escape(configuration_text(info.numbers.model.phases, value))


def _pool(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    return f"pool {value + 1}" if info.facts.pools > 1 else ""  # a single pool needs no number


def _some_servers(value: Any, *_: Any) -> str:
    return servers(value) if isinstance(value, tuple | list) else str(value)


#: Symbols by the values' names in records.
SYMBOLS: Mapping[str, Symbol] = {
    "server": Symbol("", "", server),
    "job": Symbol("", "", numbered_job),
    "type": Symbol("<i>i</i>", "", lambda value, info, _: html.escape(info.numbers.model.phases[value])),
    "pool": Symbol("", "", _pool),
    "count": Symbol("tokens"),
    "tokens": Symbol("tokens"),
    "limit": Symbol("<i>η</i><sub>max</sub>"),
    "observed": Symbol("<i>k̂</i>", "", _jobs),
    "configuration": Symbol("<i>k̂</i> + <i>a</i>", "", _jobs),
    "jobs": Symbol("jobs", "", _jobs),
    "token": Symbol("", "", lambda value, *_: f"token {value + 1}"),
    "number": Symbol("", "", lambda value, *_: f"virtual job v{value + 1}"),
    "backup": Symbol("", "", lambda value, *_: f"backup server {value + 1}"),
    "position": Symbol("", "", left_out),
    "rate": Symbol("rate", "", lambda value, *_: amount_text(value) if value else "no timer"),
    "fitting": Symbol("with room"),
    "idle": Symbol("idle ones"),
    "servers": Symbol("servers", "", _some_servers),
}
