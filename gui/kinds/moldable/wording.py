"""Widths, classes and times in words, for the panels of moldable jobs."""

from __future__ import annotations

from slotscope.gui.panels.wording import significant
from slotscope.model.reporting.explain import counted, quantity
from slotscope.model.reporting.frame import RunInfo


def width_words(width: int) -> str:
    """What a width is called: on 3 servers."""
    return f"on {counted(width, 'server')}"


def class_words(info: RunInfo, job_class: int) -> str:
    """The name of a class; empty where there is only one."""
    names: tuple[str, ...] = info.numbers.class_names
    return names[job_class] if len(names) > 1 else ""


def time_words(info: RunInfo, time: float) -> str:
    """A length of time: 3.2 minutes, or the number alone where time has no unit."""
    return quantity(significant(time, 3), info.time_unit)
