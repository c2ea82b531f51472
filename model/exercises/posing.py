"""Poses a question at the moment at which a run stands, including questions about the future.

Those about the future are: which policy is ahead at a time, and how a curve continues until then.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.errors import UserError
from slotscope.model.exercises.deciding import At, asks_of
from slotscope.model.exercises.posed import Posed, Reader, Sketch, initials, one_of, plain, refused
from slotscope.model.exercises.question import LATER, QuizQuestion
from slotscope.model.exercises.values import pose_value
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import full_time
from slotscope.model.running.engine import Reason
from slotscope.model.running.recorder import TIME_COLUMN
from slotscope.model.running.waiting import share_of, who_waits

#: The number of points at which a drawn curve is read.
POINTS = 8

#: The allowed mean error of a drawn curve, relative to the largest value.
NEAR = 0.15

#: Policies whose means differ by no more than this share of the larger count as alike.
_ALIKE = 1e-9


def pose_later(run: Run, question: QuizQuestion, lane: int) -> Posed:
    """A question about the future, from here; the policies are run on in separate runs, and this run does not move.

    A curve is that of the policy in *lane*.
    Raises UserError if the time is past, or there is no other policy to compare with.
    """
    assert question.until is not None
    if question.until <= run.timeline.time:
        raise UserError(
            f"found {question.until:g}, allowed: a time after {run.timeline.time:g}, where the run stands",
            where="question.until",
        )
    return _ahead(run, question.until) if question.ask == "ahead" else _curve(run, lane, question.until)


def _ran_on(session: Session, until: float) -> Session:
    """A copy of the run, advanced to a time; by the kernel once the run has it, as compiling cannot be stopped."""
    origin = session.origin
    if not origin.source:
        raise UserError("the run cannot be opened again, as its scenario was edited; save the scenario and open that")
    other = Session.open(origin.source, origin.policy, origin.seed, origin.trace, kernel=session.compiled)
    start = other.timeline.time
    while other.run(until=until, budget=0.0) is Reason.LIMIT:
        way = share_of(other.timeline.time, start, until)
        who_waits().look(Phrase("Going to time {time}", time=full_time(until)), way)
        if session.compiled and not other.compiled:  # the run's kernel was compiled meanwhile
            other.use_kernel()
    return other


def _series(session: Session) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    table = session.timeline.samples.table
    values, integral = session.bench.kind.headline_series(session.bench.numbers, table)
    return table[:, TIME_COLUMN], values, integral


# Which policy is ahead.


def _ahead(run: Run, until: float) -> Posed:
    if not isinstance(run, Comparison):
        raise UserError("found one policy, allowed: a moment at which two or three run side by side")
    labels, name = run.labels, run.bench.kind.headline
    means = [_mean(_ran_on(session, until), until) for session in run.sessions]
    best = max(means)
    answers = (*(str(number) for number in range(1, len(labels) + 1)), "alike")
    leads = [n for n, mean in enumerate(means) if best - mean <= _ALIKE * max(abs(best), 1.0)]
    taken = "alike" if len(leads) > 1 else answers[leads[0]]
    listed = ", ".join(f"{number} {label}" for number, label in enumerate(labels, 1))
    numbers = "; ".join(f"{label} {mean:.4g}" for label, mean in zip(labels, means, strict=True))
    reason = f"the mean {name} until time {full_time(until)}: {numbers}."
    allowed = Phrase("the number of a policy ({policies}), or alike", policies=listed)
    by_label = {label.lower(): answers[number] for number, label in enumerate(labels)}
    read = one_of(answers, allowed, title="policy")
    return Posed(
        ask="ahead",
        place=run.timeline.substep,
        decided=run.timeline.substep,
        words=Phrase(
            "Which has the larger mean {curve} until time {time}: {policies}?",
            curve=name,
            time=full_time(until),
            policies=listed,
        ),
        allowed=allowed,
        read=Reader(lambda text: read(by_label.get(text.strip().lower(), text)), read.begins | initials(*by_label)),
        fault=lambda answer: "" if answer == taken else reason,
        taken=taken,
        reason=reason,
        options=answers,
    )


def _mean(session: Session, until: float) -> float:
    """The mean of the headline quantity up to a time; its value then if the quantity is a mean already."""
    times, values, integral = _series(session)
    if integral is None:
        return float(session.bench.kind.headline_now(session.bench.numbers, session.timeline.state))
    held = float(values[-1]) * (until - float(times[-1]))
    return (float(integral[-1]) + held) / until


# How a curve goes on.


def sketch_times(now: float, until: float) -> NDArray[np.float64]:
    """[POINTS] the times at which a drawn curve is read."""
    return np.linspace(now, until, POINTS + 1)[1:]


def _top(known: float, most: float) -> float:
    """The top of the drawing: above twice the known values and all to come, rounded up to 1, 2 or 5 times 10^k."""
    least = max(2 * known, 1.25 * most)
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= least))


def _curve_words(run: Run, lane: int, curve: str, time: str) -> Phrase:
    if not isinstance(run, Comparison):
        return Phrase("How does the curve of the {curve} go on until time {time}? Draw it.", curve=curve, time=time)
    return Phrase(
        "How does the curve of the {curve} under {policy} go on until time {time}? Draw it.",
        curve=curve,
        policy=run.labels[lane],
        time=time,
    )


def _numbers(text: str, allowed: Phrase) -> str:
    parts = text.split()
    if len(parts) != POINTS or not all(re.fullmatch(r"-?\d{1,12}(\.\d{0,12})?", part) for part in parts):
        raise refused(text, allowed)
    return " ".join(plain(float(part)) for part in parts)


def _curve(run: Run, lane: int, until: float) -> Posed:
    session = lanes_of(run)[lane]
    kind, now = session.bench.kind, session.timeline.time
    times, values, _ = _series(_ran_on(session, until))
    wanted = sketch_times(now, until)
    right = values[np.maximum(np.searchsorted(times, wanted, side="right") - 1, 0)]
    scale = max(float(values.max()), abs(float(values.min())), 1e-12)
    taken, past = " ".join(map(plain, right)), times <= now
    allowed = Phrase(
        "{count} numbers, the {curve} at times {first} to {last}; or draw the curve",
        count=POINTS,
        curve=kind.headline,
        first=full_time(float(wanted[0])),
        last=full_time(float(wanted[-1])),
    )

    def away(answer: str) -> float:
        drawn = np.array([float(part) for part in answer.split()])
        return float(np.abs(drawn - right).mean()) / scale

    return Posed(
        ask="curve",
        place=session.timeline.substep,
        decided=session.timeline.substep,
        words=_curve_words(run, lane, kind.headline, full_time(until)),
        allowed=allowed,
        read=Reader(lambda text: _numbers(text, allowed)),
        fault=lambda answer: (
            ""
            if away(answer) <= NEAR
            else f"it is {away(answer):.0%} of the largest value away on average; allowed are {NEAR:.0%}."
        ),
        taken=taken,
        reason=f"what came is drawn in; within {NEAR:.0%} of its largest value on average counts as right.",
        sketch=Sketch(
            times[past], values[past], wanted, right, scale, _top(float(values[past].max(initial=0.0)), scale)
        ),
    )


def pose(run: Run, question: QuizQuestion, lane: int = 0) -> Posed:
    """The question at the moment at which a run stands, about the policy in *lane*; the run does not move.

    Raises UserError if the next event decides nothing of the kind, or there is no such lane.
    """
    lanes = len(lanes_of(run))
    if lane >= lanes:
        raise no_such_policy(lane + 1, lanes, "policy")
    if question.ask in LATER:
        posed = pose_later(run, question, lane)
    else:
        posed = under_its_policy(_pose_decision(lanes_of(run)[lane], question), run, lane)
    return replace(posed, words=Phrase("{text}", text=question.text)) if question.text else posed


def no_such_policy(number: int, lanes: int, where: str) -> UserError:
    """The error for a policy number, counted from 1, above the number of lanes; *where* is the key with the number."""
    said = Phrase("found {number}, allowed: from 1 to {lanes}, as many as run here", number=number, lanes=lanes)
    return UserError(said, where=where)


def under_its_policy(posed: Posed, run: Run, lane: int) -> Posed:
    """The question, with its policy named if several run side by side."""
    if not isinstance(run, Comparison):
        return posed
    return replace(posed, words=Phrase("Under {policy}: {question}", policy=run.labels[lane], question=posed.words))


def at_present(session: Session) -> At:
    """The next or unfinished event. Raises UserError if there is none, or a fork decides it."""
    line = session.timeline
    if line.next_event is None and not line.substep:
        raise UserError("nothing will happen any more; go back to a decision")
    if line.event + 1 in session.bench.forced:
        raise UserError(f"event {line.event + 1} is decided by a fork; allowed: one that a policy decides")
    return At.of(session.bench.kind, session.bench.at(line.event).system, line.fork_at(line.event), line.substep)


def events_ahead(session: Session) -> Iterator[At]:
    """The next or unfinished event, and those after it up to the next that a fork decides; the run does not move.

    Raises UserError if there is no event, or a fork decides the first one; later, if the policy fails.
    """
    at, bench = at_present(session), session.bench
    while True:
        yield at
        before = at.happened.state
        system = bench.at(at.event + 1).system
        if system.next_event(before) is None or at.event + 2 in bench.forced:
            return
        at = At.of(bench.kind, system, before, 0)


def _pose_decision(session: Session, question: QuizQuestion) -> Posed:
    at, asks = at_present(session), asks_of(session.info.system)
    if question.ask == "value":
        posed = pose_value(at, question.of, asks.values)
    elif question.ask in asks.poses:
        posed = asks.poses[question.ask](at)
    else:
        known = ", ".join((*asks.poses, "value", *sorted(LATER)))
        raise UserError(f"found '{question.ask}', allowed in this kind of system: {known}", where="question.ask")
    if posed is None:
        raise UserError(
            f"nothing of this is decided in the rest of event {session.timeline.event + 1}; allowed: a moment before "
            "such a decision",
            where="question.ask",
        )
    return posed
