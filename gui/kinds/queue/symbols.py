"""How values in the records of queueing systems are written beside the pseudocode."""

from __future__ import annotations

import html
from typing import Any, Mapping

from slotscope.gui.panels.algorithm_symbols import Symbol, numbered_job, server, size
from slotscope.model.reporting.frame import RunInfo


def _queue(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    if info.facts.layout.queues == 1:
        return ""  # the only queue needs no name
    return html.escape(info.facts.layout.names[value])


def _yes(value: Any, *_: Any) -> str:
    return "yes" if value else "no"


#: Symbols by the names of values in records.
SYMBOLS: Mapping[str, Symbol] = {
    "server": Symbol("", "", server),
    "job": Symbol("", "", numbered_job),
    "size": Symbol("size", "", size),
    "free": Symbol("free", "", size),
    "most_free": Symbol("most free", "", size),
    "used": Symbol("in use", "", size),
    "share": Symbol("share", "", size),
    "gamma": Symbol("γ", "", size),
    "queue": Symbol("", "", _queue),
    "configuration": Symbol("<b>k</b>", "", lambda value, info, _: html.escape(info.facts.configuration_names[value])),
    "weight": Symbol("&lt;<b>k</b>, <b>Q</b>&gt;"),
    "lengths": Symbol("<b>Q</b>"),
    "fits": Symbol("fits", "", _yes),
    "present": Symbol("present"),
    "stalled": Symbol("stalled", "", _yes),
}
