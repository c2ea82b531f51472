"""A run's rows and samples as tables whose columns have the names that questions use."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.api import Session
from slotscope.model.questions.fields import AskedField, RowColumn, SampleColumns
from slotscope.model.questions.words import Words
from slotscope.model.reporting.data_columns import DataColumn
from slotscope.model.reporting.data_tables import DataTable, table_file
from slotscope.model.running.engine import Task
from slotscope.model.running.recorder import EVENT_COLUMN, TIME_COLUMN


def events_table(words: Words, rows: np.ndarray) -> DataTable:
    """One row for each event: its number, time and kind, its fields, and a boolean for each thing that can happen.

    *rows* are those of a kind of system, such as :meth:`model.running.timeline.Timeline.rows` gives.
    """
    columns = [_of_row(words, field, rows) for field in words.declared if isinstance(field.source, RowColumn)]
    flags = rows["flags"]
    columns += [
        DataColumn(each.word, (flags & flags.dtype.type(each.flag)) != 0, each.tip)
        for each in words.happenings.values()
    ]
    return DataTable("events", tuple(columns))


def samples_table(words: Words, samples: NDArray[np.float64]) -> DataTable:
    """One row for each of the *samples* [n, width]: the fields of the state after its event."""
    events, times = (np.ascontiguousarray(samples[:, place]) for place in (EVENT_COLUMN, TIME_COLUMN))
    columns = [
        DataColumn("event", events.astype(np.int64), "events so far"),
        DataColumn("time", times, "of the event", words.unit_of(words.fields["time"])),
    ]
    for field in words.declared:
        if isinstance(field.source, SampleColumns):
            columns += _of_samples(words, field, samples)
    return DataTable("samples", tuple(columns))


def write_events(path: Path, runs: Mapping[str, Session]) -> int:
    """Write all events so far of *runs*, by the names of their policies, to a file; return how many there are.

    The table is written in parts and never held in memory as a whole.  With several runs it has a column ``policy``.

    Raises
    ------
    UserError
        If the file cannot be written.
    GivenUpError
        If the caller's wait was cancelled; then no file is left, except one that existed before.
    """
    count = 0
    with table_file(path) as write:
        for place, run in enumerate(runs.values()):
            line, words = run.timeline, Words(run.bench.kind.vocabulary, run.bench.system)
            found = line.onwards(line.fork_at(line.first_event), line.live_end, Task(explain=True))
            none = np.zeros(0, run.bench.system.row_dtype)  # so that a run without events has its columns, too
            for rows in chain((none,), (stretch.rows for stretch in found)):
                table = events_table(words, rows)
                write(table if len(runs) == 1 else _with_policy(table, tuple(runs), place))
                count += len(table)
    return count


def _with_policy(table: DataTable, policies: tuple[str, ...], place: int) -> DataTable:
    own = DataColumn("policy", np.full(len(table), place, np.int32), "which run it is", labels=policies)
    return DataTable(table.name, (own, *table.columns))


def _of_row(words: Words, field: AskedField, rows: np.ndarray) -> DataColumn:
    source = field.source
    assert isinstance(source, RowColumn)
    values, known = source.read(np.ascontiguousarray(rows[source.name]))
    known &= words.has(field)  # all policies' tables have the same columns
    labels = tuple(words.dimensions[field.choices]) if field.choices else ()
    if labels:
        values = values.astype(np.int32) - (0 if source.numbered else 1)  # from 0, as labels are
        known &= values < len(labels)
    elif source.scale is not None:
        values = values * source.scale(words.numbers)
    elif source.numbered:
        values = values + values.dtype.type(1)
    return DataColumn(field.name, values, field.about, words.unit_of(field), None if known.all() else known, labels)


def _of_samples(words: Words, field: AskedField, samples: NDArray[np.float64]) -> Iterator[DataColumn]:
    assert isinstance(field.source, SampleColumns)
    parts = field.source.parts(words.numbers, samples.shape[1])
    found = np.add.reduce([factor * samples[:, places] for places, factor in parts])
    members = words.dimensions[field.index] if field.index else ("",)
    for number, (column, member) in enumerate(zip(found.T, members, strict=True), 1):
        name = f"{field.name}[{number}]" if field.index else field.name
        about = f"{field.about}: {member}" if member else field.about
        yield DataColumn(name, np.ascontiguousarray(column), about, words.unit_of(field))
