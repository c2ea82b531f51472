"""The notation of record values of moldable jobs beside pseudocode."""

from __future__ import annotations

import html
from typing import Any, Mapping

from slotscope.gui.panels.algorithm_symbols import Symbol, left_out
from slotscope.model.reporting.frame import RunInfo


def _class(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    names = info.numbers.class_names
    return html.escape(names[value]) if len(names) > 1 else ""  # a single class needs no name


def _distribution(value: Any, _: RunInfo, values: Mapping[str, Any]) -> str:
    pairs = zip(values["widths"], value, strict=True)
    return ", ".join(f"<i>p</i>*<sub>{width}</sub> = {share:.4g}" for width, share in pairs)


#: Symbols by the values' names in records.
SYMBOLS: Mapping[str, Symbol] = {
    "job": Symbol("", "", left_out),
    "type": Symbol("", "", _class),
    "request": Symbol("<i>i</i>"),
    "free": Symbol("<i>j</i>"),
    "servers": Symbol("min(<i>i</i>, <i>j</i>)"),
    "uniform": Symbol("<i>u</i>", "", lambda value, *_: f"{value:.4f}"),
    "widths": Symbol("", "", left_out),
    "shares": Symbol("", "", _distribution),
    "from": Symbol("<i>f<sub>k</sub></i>"),
}
