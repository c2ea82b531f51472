"""Wording of widths, classes and times for the panels of moldable jobs."""

from __future__ import annotations

from slotscope.gui.panels.wording import significant
from slotscope.model.reporting.explain import counted, quantity
from slotscope.model.reporting.frame import RunInfo


def width_words(width: int) -> str:
    """The wording of a width: on 3 servers."""
    return f"on {counted(width, 'server')}"


def class_words(info: RunInfo, job_class: int) -> str:
    """The name of a class; empty if there is only one."""
    names: tuple[str, ...] = info.numbers.class_names
    return names[job_class] if len(names) > 1 else ""


def time_words(info: RunInfo, time: float) -> str:
    """A duration: 3.2 minutes, or the bare number if time has no unit."""
    return quantity(significant(time, 3), info.time_unit)
