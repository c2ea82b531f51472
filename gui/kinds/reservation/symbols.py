"""How values of the loss system's records are written beside pseudocode."""

from __future__ import annotations

import html
from typing import Any, Mapping

from slotscope.gui.panels.algorithm_symbols import Symbol, server, servers, size
from slotscope.gui.panels.wording import job_words
from slotscope.model.reporting.frame import RunInfo


def _type(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    return html.escape(info.numbers.type_names[value])


def _types(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    names = [name for j, name in enumerate(info.numbers.type_names) if value >> j & 1]
    return html.escape(f"{{{', '.join(names)}}}")


def share(value: Any, *_: Any) -> str:
    """A float as a percentage; an int as it is: a user's policy may give this name to a whole number."""
    return str(value) if isinstance(value, int) else f"{100 * value:.3g} %"


def job(value: Any, info: RunInfo, values: Mapping[str, Any]) -> str:
    label = job_words(info, int(values.get("type", 0)), value)
    return html.escape(label.split(" ", 1)[-1] if "type" not in values else label)


_K = "<i>k</i>[{i}]"
#: Symbols by the names of the values in records.
SYMBOLS: Mapping[str, Symbol] = {
    "i": Symbol("<i>i</i>"),
    "jobs_left": Symbol("<i>r</i>", "r"),
    "servers_left": Symbol("<i>N</i>", "N"),
    "servers": Symbol("<i>N</i>", "N"),
    "configuration": Symbol(_K, "k[i]"),
    "candidates": Symbol("𝒥[{i}]", "𝒥[i]", _types),
    "exhausted": Symbol("<i>j</i>*", "j*", _type),
    "count": Symbol(f"X̂<sub>{_K}</sub>", "X̂k[i]"),
    "held": Symbol(f"X<sub>{_K}</sub>", "Xk[i]"),
    "i_star": Symbol("<i>I</i>*", "I*"),
    "sampled": Symbol("𝒮", "𝒮", servers),
    "fitting": Symbol("with room", "", servers),
    "load": Symbol("load", "", share),
    "server": Symbol("", "ℓe", server),
    "source": Symbol("from", "", server),
    "target": Symbol("to", "", server),
    "type": Symbol("<i>j</i>", "", _type),
    "job": Symbol("", "", job),
    "freed": Symbol("size preempted", "", size),
    "owed": Symbol("<i>g</i>(<i>L</i>) <i>s<sub>j</sub></i>", "", size),
}
