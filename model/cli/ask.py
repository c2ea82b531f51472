"""``slotscope ask``: finds the events at which a question about a run holds, each with the command that opens it."""

from __future__ import annotations

import argparse
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from typing import Callable, Sequence

import numpy as np

from slotscope.model.api import Session
from slotscope.model.cli.output import Progress, print_json, progress_of, shown
from slotscope.model.errors import UserError
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.columns import events_table
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.unsaid import Hearing
from slotscope.model.questions.words import Words
from slotscope.model.reporting.data_columns import DataColumn
from slotscope.model.reporting.data_tables import DataTable, table_file
from slotscope.model.reporting.explain import plural

#: The number of events searched by default.
EVENTS = 100_000

#: Writes hits: (number of the question, rows of its hits).
Writer = Callable[[int, np.ndarray], None]


def execute(options: argparse.Namespace) -> int:
    """Print every hit as it is found, then the number of hits."""
    with progress_of(f"ask {options.scenario}", quiet=options.json) as progress, ExitStack() as open_files:
        session = Session.open(options.scenario, options.policy, options.seed, tuple(options.trace))
        words = session.info.words
        if options.names:
            _print_names(words, options.json)
            return 0
        questions = [understood(text, words) for text in options.questions]
        if not questions:
            raise UserError(
                "found no question, allowed: at least one, such as 'rejected'; --names lists what it may name"
            )
        writers = [_json(session, questions, words) if options.json else _text(session, progress, len(questions))]
        files = filter(None, (options.csv, options.parquet))
        writers += [_file(path, session, questions, words, open_files) for path in files]
        found, events = _ask(session, questions, options, writers, progress)
    _print_end(session, questions, found, events, options.json)
    return 0


def _ask(
    session: Session,
    questions: Sequence[Question],
    options: argparse.Namespace,
    writers: Sequence[Writer],
    progress: Progress,
) -> tuple[list[int], int]:
    """The number of hits of each question, and of the events searched; with *first*, ends once all have a hit."""
    line, found, last, decided = session.timeline, [0] * len(questions), 0, 0
    most = EVENTS if options.events is None else options.events
    make_ready(session.bench, line, questions)
    for part in answers(session.bench.system, line, questions, line.first_event, line.first_event + most):
        last = int(part.rows["event"][-1]) - line.first_event
        for number in range(len(questions)):
            hits = part.hits(number)
            if options.first:
                hits = hits[: 1 - min(found[number], 1)]
            found[number] += len(hits)
            if len(hits):
                decided = max(decided, int(hits["event"][-1]) - line.first_event)
                for write in writers:
                    write(number, hits)
        progress(last, most)
        if options.first and all(found):  # not *last*: how far the last slice went depends on the machine
            return found, decided
    return found, last


def _text(session: Session, progress: Progress, questions: int) -> Writer:
    info = session.info

    def write(number: int, hits: np.ndarray) -> None:
        progress.close()
        for row in hits:
            event = int(row["event"])
            which = f"{number + 1}: " if questions > 1 else ""
            print(f"{which}event {event}, time {shown(float(row['time']))}: {info.narrator.row(row)}")
            print(f"    {info.opening_line(event)}")

    return write


def hits_table(session: Session, question: Question, hits: np.ndarray, words: Words) -> DataTable:
    """The hits of a question, each with a sentence and the command that opens it."""
    info, count = session.info, len(hits)
    texts = (
        ("question", [question.text] * count, "what was asked"),
        ("sentence", [info.narrator.row(row) for row in hits], "what happened"),
        ("open", [info.opening_line(int(row["event"])) for row in hits], "the command that opens the moment"),
    )
    columns = [DataColumn(name, np.array(cells, object), about) for name, cells, about in texts]
    return DataTable("hits", (columns[0], *events_table(words, hits).columns, *columns[1:]))


def _json(session: Session, questions: Sequence[Question], words: Words) -> Writer:
    def write(number: int, hits: np.ndarray) -> None:
        for record in hits_table(session, questions[number], hits, words).records():
            print_json(record)

    return write


def _file(path: Path, session: Session, questions: Sequence[Question], words: Words, files: ExitStack) -> Writer:
    write_table, none = files.enter_context(table_file(path)), np.zeros(0, session.bench.system.row_dtype)
    write_table(hits_table(session, questions[0], none, words))  # so that a file without hits has its columns, too

    def write(number: int, hits: np.ndarray) -> None:
        write_table(hits_table(session, questions[number], hits, words))

    return write


def _print_end(session: Session, questions: Sequence[Question], found: list[int], events: int, as_json: bool) -> None:
    if as_json:
        asked = [
            {"question": each.text, "hits": hits, "cost": each.cost, "notes": list(each.notes)}
            for each, hits in zip(questions, found, strict=True)
        ]
        print_json(
            {"scenario": session.info.scenario_name, "policy": session.info.origin.policy}
            | {"seed": session.info.seed, "events": events, "questions": asked}
        )
        return
    for each, hits in zip(questions, found, strict=True):
        print(f"{hits} {plural(hits, 'hit')} in {events} {plural(events, 'event')}: {each.text} ({each.cost})")
        for note in each.notes:
            print(f"    {note}")
        hearing = Hearing(session.bench.system, session.timeline, session.info.words, each.text)
        if not hits and hearing.lacks(last := session.timeline.first_event + events):
            deque(hearing.parts(last), maxlen=0)
            for missing in hearing.told():
                print(f"    {missing}")


def _print_names(words: Words, as_json: bool) -> None:
    """Print the names that questions about this run may use."""
    for word in words.all():
        if as_json:
            print_json(word._asdict())
        else:
            unit = f", in {word.unit}" if word.unit else ""
            print(f"{word.text:<28}  {word.about}{unit} [{word.cost}]")
