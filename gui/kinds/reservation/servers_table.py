"""The servers of a reservation system as a table, one row for each."""

from __future__ import annotations

from typing import Iterator

from slotscope.model.reporting.frame import Frame


def header(frame: Frame) -> list[str]:
    """The names of the columns."""
    names = frame.info.numbers.type_names
    return ["server", *(f"{what} of {name}" for what in ("slots", "jobs") for name in names)]


def rows(frame: Frame) -> Iterator[list[object]]:
    """The slots and the jobs of each server now, by type."""
    state = frame.state
    pairs = zip(state.configuration.tolist(), state.placement.tolist(), strict=True)
    for number, (slots, jobs) in enumerate(pairs, 1):
        yield [number, *slots, *jobs]
