"""Names, numbers and states of experiments as texts for the window."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Sequence

from slotscope.gui.language.words import tr
from slotscope.gui.panels.wording import GREEDY_PLAIN, significant, with_interval
from slotscope.model.lab.results import Row
from slotscope.model.lab.runner import Status
from slotscope.model.lab.sweep import POLICY
from slotscope.model.policies.choice import names_beside
from slotscope.model.reporting.explain import THIN_SPACE, raised

_ALPHA = re.compile(r"\balpha\b")
_PARAMETERS = "policy.parameters."
_MINUTE, _HOUR = 60, 3600

#: Parameters whose values are clear without the parameter's name.
_NAMELESS = ("policy", "speedup", "speed-up", "model")
#: Stands for the value of a parameter that a row does not have.
_NONE = object()

#: Seconds left below which an estimate is only "a moment".
_SOON = 1.5


def typeset(text: str) -> str:
    """*text* with symbols as in the papers: α for alpha, superscripts for powers."""
    text = text.replace("U^(g)", GREEDY_PLAIN).replace(_PARAMETERS, "")
    return raised(_ALPHA.sub("α", text))


def told_apart(names: Sequence[str]) -> dict[str, str]:
    """Short names of curves, by full name, without the settings that all of them share.

    Parameters that need no name lose it: "policy = dra" becomes "dra".
    """
    pieces = [[_named(piece) for piece in name.split(", ")] for name in names]
    shared = set(pieces[0]).intersection(*pieces[1:]) if len(pieces) > 1 else set()
    return {
        name: typeset(", ".join(piece for piece in mine if piece not in shared) or name)
        for name, mine in zip(names, pieces, strict=True)
    }


def _named(piece: str) -> str:
    name, equals, value = piece.partition(" = ")
    return value if equals and name in _NAMELESS else piece


def what_text(row: Row) -> str:
    """What a row measures, in words."""
    return typeset(row.what.replace("_", " "))


def at_texts(rows: Sequence[Row]) -> list[str]:
    """The parameters of each row, without those common to all rows, by short names."""
    called = names_beside(list(dict.fromkeys(str(row.at[POLICY]) for row in rows if POLICY in row.at)))
    items = [{key: called[str(value)] if key == POLICY else value for key, value in row.at.items()} for row in rows]
    first = items[0] if items else {}
    common = {
        key for key, value in first.items() if len(rows) > 1 and all(one.get(key, _NONE) == value for one in items)
    }
    keys = dict.fromkeys(key for one in items for key in one if key not in common)
    ends = Counter(_last(key) for key in keys)
    names = {key: _last(key) if ends[_last(key)] == 1 else key for key in keys}
    return [
        typeset(", ".join(_told(names[key], value) for key, value in one.items() if key not in common)) for one in items
    ]


def _last(key: str) -> str:
    """The last part of a path to a setting: count of servers.count."""
    return key.rpartition(".")[2]


def at_text(row: Row) -> str:
    """All parameters of a row, by full names."""
    return typeset(", ".join(f"{name} = {_plain(value)}" for name, value in row.at.items()))


def _told(name: str, value: str | int | float) -> str:
    text = _plain(value)
    return text if name in _NAMELESS or " = " in text else f"{name} = {text}"


def _plain(value: str | int | float) -> str:
    return significant(value) if isinstance(value, float) else str(value)


def numbers_of(row: Row) -> tuple[str, str, str]:
    """The paper's number, ours, and the half-width of its interval."""
    paper = "–" if row.paper is None else significant(row.paper)
    if not math.isfinite(row.half_width):
        return paper, significant(row.ours), "–"
    if row.half_width == 0:
        return paper, significant(row.ours), "exact"
    mean, half = with_interval(row.ours, row.half_width)
    return paper, mean, half


def duration(seconds: float) -> str:
    """A time span in seconds as words, rounded, as it is only an estimate."""
    if seconds < _SOON:
        return tr("a moment")
    if seconds < _MINUTE:
        return f"{tr('about')} {seconds:.0f}{THIN_SPACE}s"
    if seconds < _HOUR:
        return f"{tr('about')} {seconds / _MINUTE:.0f}{THIN_SPACE}min"
    return f"{tr('about')} {seconds / _HOUR:.1f}{THIN_SPACE}h"


def running_text(status: Status | None, waited: float = 0.0) -> str:
    """The progress of a run; *waited* is the time in seconds since *status* was reported."""
    if status is None:
        return tr("running: making ready")
    share = f"{tr('running')} {status.share:.0%}".replace("%", f"{THIN_SPACE}%")
    if status.seconds_left is None:
        return share
    if waited > max(status.seconds_left, _SOON):  # the current parts take longer than earlier ones did
        return tr("{share}, longer than estimated").format(share=share)
    return tr("{share}, {time} left").format(share=share, time=duration(status.seconds_left - waited))


def kept_text(done: int, total: int) -> str:
    """The state of an experiment that does not run: how many of its parts are done."""
    if total == 0 or done == 0:
        return tr("not run")
    if done == total:
        return tr("done")
    return tr("{done} of {total} parts kept").format(done=done, total=total)


def goes_on(done: int, total: int) -> str:
    """A sentence that Run continues, if some but not all parts are done; else empty."""
    if not 0 < done < total:
        return ""
    return tr("{done} of {total} parts kept; Run goes on from there.").format(done=done, total=total)
