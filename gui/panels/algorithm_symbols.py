"""How the values of records are written beside pseudocode, for each kind of system."""

from __future__ import annotations

import html
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple

from gui.panels.phases.wording import amount_text, configuration_text
from gui.panels.wording import job_words
from model.frame import RunInfo

Wording = Callable[[Any, RunInfo, Mapping[str, Any]], str]


def _number(value: Any) -> str:
    return f"−{-value}" if isinstance(value, int) and value < 0 else html.escape(str(value))


def vector(value: Any, *_: Any) -> str:
    """A number, or several in brackets."""
    if isinstance(value, tuple | list):
        return f"({', '.join(_number(item) for item in value)})"
    return _number(value)


def _type(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    return html.escape(info.numbers.type_names[value])


def _types(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    names = [name for j, name in enumerate(info.numbers.type_names) if value >> j & 1]
    return html.escape(f"{{{', '.join(names)}}}")


def _server(value: Any, *_: Any) -> str:
    return f"server {value + 1}"


def _servers(value: Any, *_: Any) -> str:
    return f"{{{', '.join(str(server + 1) for server in value)}}}"


def _share(value: Any, *_: Any) -> str:
    return f"{100 * value:.3g} %"


def _job(value: Any, info: RunInfo, values: Mapping[str, Any]) -> str:
    label = job_words(info, int(values.get("type", 0)), value)
    return html.escape(label.split(" ", 1)[-1] if "type" not in values else label)


#: Sizes are told by fractions with denominators up to this, others by decimals.
_MOST_DENOMINATOR = 64


def _size(value: Any, *_: Any) -> str:
    if isinstance(value, tuple | list):
        return f"({', '.join(_size(item) for item in value)})"
    known = isinstance(value, Fraction) and value.denominator <= _MOST_DENOMINATOR
    return str(value) if known else f"{float(value):.4g}"


class Symbol(NamedTuple):
    """How a value is written, and the paper's symbol by which its line is found."""

    text: str  #: rich text; ``{i}`` stands for the iteration
    plain: str = ""
    word: Wording = vector


_K = "<i>k</i>[{i}]"
_RESERVATION: Mapping[str, Symbol] = {
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
    "sampled": Symbol("𝒮", "𝒮", _servers),
    "fitting": Symbol("with room", "", _servers),
    "load": Symbol("load", "", _share),
    "server": Symbol("", "ℓe", _server),
    "source": Symbol("from", "", _server),
    "target": Symbol("to", "", _server),
    "type": Symbol("<i>j</i>", "", _type),
    "job": Symbol("", "", _job),
    "freed": Symbol("size preempted", "", _size),
    "owed": Symbol("<i>g</i>(<i>L</i>) <i>s<sub>j</sub></i>", "", _size),
}


def _queue(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    if info.facts.layout.queues == 1:
        return ""  # there is no other
    return html.escape(info.facts.layout.names[value])


def _active(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    return html.escape(info.facts.configuration_names[value])


def _numbered_job(value: Any, *_: Any) -> str:
    return f"job {value}"


def _yes(value: Any, *_: Any) -> str:
    return "yes" if value else "no"


_QUEUE: Mapping[str, Symbol] = {
    "server": Symbol("", "", _server),
    "job": Symbol("", "", _numbered_job),
    "size": Symbol("size", "", _size),
    "free": Symbol("free", "", _size),
    "most_free": Symbol("most free", "", _size),
    "used": Symbol("in use", "", _size),
    "share": Symbol("share", "", _size),
    "gamma": Symbol("γ", "", _size),
    "queue": Symbol("", "", _queue),
    "configuration": Symbol("<b>k</b>", "", _active),
    "weight": Symbol("&lt;<b>k</b>, <b>Q</b>&gt;"),
    "lengths": Symbol("<b>Q</b>"),
    "fits": Symbol("fits", "", _yes),
    "present": Symbol("present"),
    "stalled": Symbol("stalled", "", _yes),
}


def _phase(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    return html.escape(info.numbers.model.phases[value])


def _jobs(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    if isinstance(value, int):
        return str(value)
    return html.escape(configuration_text(info.numbers.model.phases, value))


def _pool(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    return f"pool {value + 1}" if info.facts.pools > 1 else ""  # there is no other


def _token(value: Any, *_: Any) -> str:
    return f"token {value + 1}"


def _backup(value: Any, *_: Any) -> str:
    return f"backup server {value + 1}"


def _virtual_job(value: Any, *_: Any) -> str:
    return f"virtual job v{value + 1}"


def _rate(value: Any, *_: Any) -> str:
    return amount_text(value) if value else "no timer"


def _some_servers(value: Any, *_: Any) -> str:
    return _servers(value) if isinstance(value, tuple | list) else str(value)


def _left_out(*_: Any) -> str:
    return ""


_PHASES: Mapping[str, Symbol] = {
    "server": Symbol("", "", _server),
    "job": Symbol("", "", _numbered_job),
    "type": Symbol("<i>i</i>", "", _phase),
    "pool": Symbol("", "", _pool),
    "count": Symbol("tokens"),
    "tokens": Symbol("tokens"),
    "limit": Symbol("<i>η</i><sub>max</sub>"),
    "observed": Symbol("<i>k̂</i>", "", _jobs),
    "configuration": Symbol("<i>k̂</i> + <i>a</i>", "", _jobs),
    "jobs": Symbol("jobs", "", _jobs),
    "token": Symbol("", "", _token),
    "number": Symbol("", "", _virtual_job),
    "backup": Symbol("", "", _backup),
    "position": Symbol("", "", _left_out),
    "rate": Symbol("rate", "", _rate),
    "fitting": Symbol("with room"),
    "idle": Symbol("idle ones"),
    "servers": Symbol("servers", "", _some_servers),
}


def _class(value: Any, info: RunInfo, _: Mapping[str, Any]) -> str:
    names = info.numbers.class_names
    return html.escape(names[value]) if len(names) > 1 else ""  # there is no other


def _drawn_by(value: Any, *_: Any) -> str:
    return f"{value:.4f}"


def _law(value: Any, _: RunInfo, values: Mapping[str, Any]) -> str:
    pairs = zip(values["widths"], value, strict=True)
    return ", ".join(f"<i>p</i>*<sub>{width}</sub> = {share:.4g}" for width, share in pairs)


_MOLDABLE: Mapping[str, Symbol] = {
    "job": Symbol("", "", _left_out),
    "type": Symbol("", "", _class),
    "request": Symbol("<i>i</i>"),
    "free": Symbol("<i>j</i>"),
    "servers": Symbol("min(<i>i</i>, <i>j</i>)"),
    "uniform": Symbol("<i>u</i>", "", _drawn_by),
    "widths": Symbol("", "", _left_out),
    "shares": Symbol("", "", _law),
    "from": Symbol("<i>f<sub>k</sub></i>"),
}

#: By kind of system, the values by the names that records give them.
SYMBOLS: Mapping[str, Mapping[str, Symbol]] = MappingProxyType({
    "reservation": _RESERVATION,
    "queue": _QUEUE,
    "phases": _PHASES,
    "moldable": _MOLDABLE,
})  # fmt: skip
