"""``slotscope why``: lists a decision's candidates by the first condition that each failed, and what flips it."""

from __future__ import annotations

import argparse

from slotscope.model.api import Session
from slotscope.model.cli.output import print_json, progress_of, table
from slotscope.model.errors import UserError
from slotscope.model.reporting.explain import counted, grouped
from slotscope.model.whys.asking import Why, decided_at, why, with_flip
from slotscope.model.whys.tables import Candidates

#: The most events searched for the decision about a job, if no event is given.
EVENTS = 100_000

#: A quarter of the events that are run before the first search.
FIRST_EVENTS = 250

_HEADER = ("condition", "removed", "left", "the numbers", "where")


def execute(options: argparse.Namespace) -> int:
    """Print the table and a sentence."""
    with progress_of(f"why {options.scenario}", quiet=options.json):
        session = Session.open(options.scenario, options.policy, options.seed, tuple(options.trace))
        answer = _answer(session, options)
    if options.json:
        print_json(as_data(session, answer))
    else:
        print("\n".join(_lines(session, answer)))
    return 0


def _answer(session: Session, options: argparse.Namespace) -> Why:
    bench, line = session.bench, session.timeline
    job = -1 if options.job is None else _job(session, options.job)
    if options.event is None and job < 0:
        raise UserError("found neither, allowed: --event N, --job J, or both", where="--event")
    if options.event is None:
        event = _decides(session, job)
    else:
        event = options.event
        session.run(events=event)
    return with_flip(bench, line, why(bench, line, event, job, -1 if options.server is None else options.server - 1))


def _decides(session: Session, job: int) -> int:
    """The event that decides about a job, searched in ever longer runs; the last event if there is none."""
    line, ahead = session.timeline, FIRST_EVENTS
    while not (found := decided_at(session.bench, line, job)) and line.event < EVENTS:
        ahead, before = min(4 * ahead, EVENTS - int(line.event)), line.event
        session.run(events=ahead)
        if line.event == before:
            break
    return found or int(line.event)


def _job(session: Session, name: str) -> int:
    """The number of a job by its name."""
    names = {name: int(number) for number, name in session.bench.system.job_names().items()}
    if name in names:
        return names[name]
    if not name.isdecimal():
        raise UserError(f"found '{name}', allowed: a job's number or its name in the scenario", where="--job")
    return int(name)


def _lines(session: Session, answer: Why) -> list[str]:
    flip, info = answer.flip, session.info
    lines = [f"{answer.question} Event {grouped(answer.event)}, {info.policy_title}.", answer.sentence]
    for each in answer.tables:
        rows = [
            (line.condition, grouped(line.removed), grouped(line.left), line.numbers, line.place)
            for line in each.lines()
        ]
        lines += ["", f"candidates: {counted(each.count, each.what)}", table(_HEADER, rows, right=len(_HEADER))]
    if flip is not None:
        lines += ["", told_flip(answer)]
    return [*lines, *filter(None, [info.opening_line(answer.event)])]


def told_flip(answer: Why) -> str:
    """The smallest change that flips the decision, with its proof, or that no change tried does."""
    flip = answer.flip
    if flip is None:
        return ""
    if not flip.words:
        return flip.none_told
    return f"The smallest change that flips it: {flip.words} ({flip.proof}; change {flip.tried} of those tried)."


def as_data(session: Session, answer: Why) -> dict[str, object]:
    """The answer as plain data, with servers numbered from 1."""
    flip, info = answer.flip, session.info
    return {
        "scenario": info.scenario_name,
        "policy": info.origin.policy,
        "seed": info.seed,
        "event": answer.event,
        "time": answer.time,
        "job": session.bench.system.job_name(answer.job) if answer.job >= 0 else None,
        "question": answer.question,
        "outcome": answer.outcome,
        "sentence": answer.sentence,
        "tables": [_table(each) for each in answer.tables],
        "flip": None
        if flip is None or flip.found is None
        else {"change": flip.words, "proof": flip.proof, "servers": [server + 1 for server in flip.found.on]},
        "tried": 0 if flip is None else flip.tried,
    }


def _table(candidates: Candidates) -> dict[str, object]:
    return {
        "candidates": candidates.what,
        "count": candidates.count,
        "lines": [line._asdict() for line in candidates.lines()],
        "taken": [candidates.names(int(one)) for one in candidates.chosen],
    }
