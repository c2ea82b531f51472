"""The cost of questions about a run: asking events and running events, in turn, and the cost per event."""

from __future__ import annotations

import argparse
import os
import resource
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from random import Random
from statistics import median
from time import monotonic, process_time, thread_time
from typing import Any, Callable, Iterable, Iterator, NamedTuple

import numpy as np

from slotscope.model.api import Session
from slotscope.model.jit import called_at, compiled_anew
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.fields import AskedField
from slotscope.model.questions.glance_code import TOGETHER, glance_code, glance_table, known_of
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.pairing import EQUAL, OTHER, OWN, REMAINDER, TIMES
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from tests.bench.timing import Limit, aim
from tests.random_questions import TwoClauses

MILLION, LONG = 10**6, 10**8

#: The number of random questions for each kind of system.
DRAWN = 60

#: A policy that reports what it examines.
COUNTING = "resources/policies/first_fit_compiled.py"

#: A condition on pairs of a thing and an event that cannot be simplified: every pair has to be tested.
EACH_PAIR = "any job where (arrival * time) % 7.3 = 3.7"

#: Two clauses each: of rows, samples, changes by events, and what a policy reports (fewer events, as it is slow).
ASKED = (
    ("dra-vms", "rejected and servers_with_room >= 1", MILLION),
    ("dra-vms", "jobs[1] > 100 and was jobs[1] <= 100", MILLION),
    ("dra-vms", "rejected and any server where empty > 0", MILLION),
    ("dra-vms", "any server where jobs[1] = 3 and empty > 0", MILLION),
    ("dra-vms", "rejected and empty_slots[1] > 3", MILLION),
    ("dra-vms", "rejected and any server where rank = 3", MILLION),
    ("dra-vms", "any server where was empty > 0 and empty = 0", MILLION),
    ("dra-vms", "rejected and greedy_servers[1] > 3", MILLION),
    ("dra-vms", "any server where jobs[1] > Y[1] / 50 and empty > 0", MILLION),
    ("dra-vms", "any job where leaves < time + 0.1 and since > time - 1", MILLION),
    ("dra-vms", "any server where rank = 3 and empty > 1", MILLION),
    ("dra-vms", "any server where index = 2 and in_reject_group = 1", MILLION),
    ("dra-vms", "any server where rank changes and rank > time % 5", MILLION),
    ("dra-vms", "server 7 . rank changes and event % 2 = 0", MILLION),
    ("dra-vms", "any server where was jobs[4] < index or not empty = admitted_so_far[3]", MILLION),
    ("dra-vms", "any job where server changes or was since < reject_group_slots", MILLION),
    ("dra-vms", "any server where filled > index or (slots[4] + 50) != (filled % jobs[4])", MILLION),
    ("dra-vms", "(count job where server < 3 or server = servers_with_room) < 1", MILLION),
    ("dra-vms", "(any server where was empty > slots[3]) or any job where max(leaves, server) = 0", MILLION),
    ("dra-vms", "any job where (leaves * time) % 1 < 0.0001 and since > 3", MILLION),
    (f"dra-vms {COUNTING}", "jobs[1] > 0 and said[with_room] > 100", MILLION // 100),
    ("queues-vqs-unstable", "waits and waiting > 50", MILLION),
    ("queues-vqs-unstable", "waits and any server where used[1] < 0.5", MILLION),
    ("queues-vqs-unstable", "waits and any server where last_departure > time - 1", MILLION),
    ("queues-vqs-unstable", "waits and any job where arrival > time - 1", MILLION),
    ("queues-vqs-unstable", "any job where arrival = kept_queue becomes true and evicted", MILLION),
    ("queues-vqs-unstable", "any server where was last_departure > queue[1] or last_departure >= 1", MILLION),
    ("queues-vqs-unstable", "any job where departed or (arrival % renewals) != queue", MILLION),
    ("queues-vqs-unstable", "any job where queue < (arrived_so_far % queue) or (server > 3) becomes false", MILLION),
    ("queues-vqs-unstable", "any job where event % arrival = 3.7 and queue > 1", MILLION),
    ("queues-vqs-unstable", EACH_PAIR, MILLION),
    ("jrs-two-phases", "overflowed and not was overflowed", MILLION),
    ("jrs-two-phases", "idled and any server where all_jobs = 0 and all_tokens > 0", MILLION),
    ("jrs-two-phases", "overflowed and any job where phase changes", MILLION),
    ("jrs-two-phases", "any server where all_jobs < tokens[1] and all_tokens > 0", MILLION),
    ("jrs-two-phases", "event % 2 = 0 and any server where placed", MILLION),
    ("jrs-two-phases", "(count job where was moves >= 2 or not phase != paused) < 5", MILLION),
    ("moldable-sublinear", "blocked and busy > 150", MILLION),
    ("moldable-sublinear", "blocked and X[4] > 20", MILLION),
    ("moldable-sublinear", "blocked and (count job where width = 4) > 20", MILLION),
    ("moldable-sublinear", "busy > 100 and (count job where width = 4) > 20", MILLION),
    ("moldable-sublinear", "any job where width < request and leaves < time + 0.01", MILLION),
    ("moldable-sublinear", "any server where job changes and busy > 100", MILLION),
    ("moldable-sublinear", "server 7 . job changes and busy > 100", MILLION),
    ("moldable-sublinear", "any server where (job % busy) changes or job < (server / lasts) becomes false", MILLION),
    ("moldable-sublinear", "any server where min(job, event) > job or busy > 1", MILLION),
    ("moldable-sublinear", "any server where job > event % 5 and busy > 100", MILLION),
    ("moldable-sublinear", "any server where busy changes or job - running != 5", MILLION),
    (
        "moldable-sublinear",
        "(any job where (leaves * time) % 1 < 0.00001) and (count job where (since * time) % 7 < 0.1) > 3",
        MILLION,
    ),
    ("moldable-sublinear", "X[5] < event and any server where job > blocked_so_far[1] becomes true", MILLION),
)

#: The questions of the table in the help page.
ASKED_LONG = (
    ("dra-vms", "rejected and servers_with_room >= 1"),
    ("dra-vms", "rejected and any server where empty > 0"),
    ("queues-vqs-unstable", "waiting > 50 becomes true"),
    ("jrs-two-phases", "overflowed and not was overflowed"),
    ("moldable-sublinear", "busy > 3600 becomes true"),
)


def of_each_field(words: Words) -> Iterator[str]:
    """Two clauses about each declared field, one met by half of the events: alone, with the event, of one thing."""
    half = "event % 2 = 0 and"
    for name, _ in _written(words, words.each_field()):
        yield f"{half} {name} >= 1"
    for thing, fields in words.of_thing.items():
        for name, unit in _written(words, {field.name: field for field in fields.values()}.values()):
            yield f"{half} any {thing} where {name} = 1"
            yield f"{half} any {thing} where {name} > {'time - 1' if unit == 'time' else 'event % 5'}"
            yield f"{half} {thing} 1 . {name} >= 1"


def _written(words: Words, fields: Iterable[AskedField]) -> Iterator[tuple[str, str]]:
    """How a field is written, with its first member if it has several, and its unit."""
    for field in fields:
        if not field.index or words.dimensions[field.index]:
            yield f"{field.name}[1]" if field.index else field.name, field.unit


class Cost(NamedTuple):
    """The seconds to answer a question."""

    all: float  #: CPU seconds of all threads
    clock: float


def asked(session: Session, question: Question, events: int) -> tuple[Cost, int]:
    """The cost of answering a question about the first events, and the number of hits."""
    make_ready(session.bench, session.timeline, [question])
    began, hits = (process_time(), monotonic()), 0
    for part in answers(session.bench.system, session.timeline, [question], 0, events):
        hits += int(part.values[0].sum())
    return Cost(process_time() - began[0], monotonic() - began[1]), hits


def ran(session: Session, events: int) -> float:
    """Seconds to run the events again, without asking anything."""
    began = thread_time()
    for _ in session.timeline.onwards(session.timeline.fork_at(0), events):
        pass
    return thread_time() - began


def row(scenario: str, text: str, events: int, rounds: int) -> str:
    """One line of the table."""
    name, _, policy = scenario.partition(" ")
    session = Session.open(name, policy or None)
    question = understood(text, session.info.words)
    asked(session, question, 1000), ran(session, 1000)
    ratios, costs, again, hits = [], [], [], 0
    look_alone = looking_alone(session, events) if text == EACH_PAIR else None
    alone = []
    for turn in range(rounds):
        order = ("ask", "run") if turn % 2 else ("run", "ask")
        seconds = {}
        for what in order:
            if what == "ask":
                cost, hits = asked(session, question, events)
                seconds[what] = cost.all
                costs.append(cost)
            else:
                seconds[what] = ran(session, events)
        alone += [look_alone()] if look_alone else []
        ratios.append(seconds["ask"] / seconds["run"])
        again.append(seconds["run"] / events * 1e6)
    if events >= MILLION // 10:
        what, found = f"{scenario}: {text}, {events:,} events", [cost.clock / events * 1e6 for cost in costs]
        limit = Limit("each job that waits is looked at after each event, and nothing else", alone) if alone else None
        why = "" if limit else limit_of(again, ratios, hits)
        aim(what, 1, found, "s a million events by the clock", limit=limit, limit_is=why)
    ratio = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"| {scenario} | {text} | {events:,} | {hits:,} | {ratio} "
        f"| {' | '.join(f'{median(column):.2f}' for column in zip(*costs, strict=True))} | {most:.0f} |"
    )


def looking_alone(session: Session, events: int) -> Callable[[], float]:
    """Evaluate the code of :data:`EACH_PAIR` for the average number of waiting jobs at each event; the seconds.

    All processors do so, each for its share of the events.
    """
    question, waiting = understood("waiting", session.info.words, truth=False), 0.0
    for part in answers(session.bench.system, session.timeline, [question], 0, events):
        waiting += part.values[0].sum()
    things, processors = max(1, round(waiting / events / BLOCK)) * BLOCK, len(os.sched_getaffinity(0))
    product, left = ((OWN, 0), (OTHER, 0), (TIMES, 0)), ((OTHER, 1), (REMAINDER, 0))
    code, look = glance_code((*product, *left, (OTHER, 2), (EQUAL, 0))), compiled_anew(look_over, kept=False)
    assert code is not None
    value, others = np.arange(1.0, 1 + things)[None], np.repeat([[5e5], [7.3], [3.7]], TOGETHER, axis=1)
    numbers = value, others, known_of(value), np.zeros(things // BLOCK, np.int64)

    def seconds() -> float:
        table = glance_table(*numbers)
        look(code.address, table, things, TOGETHER)
        began, share = monotonic(), events // processors
        with ThreadPoolExecutor(processors) as threads:
            looks = [threads.submit(look, code.address, table, things, share) for _ in range(processors)]
        assert all(each.result() is not None for each in looks)
        return monotonic() - began

    return seconds


def look_over(code: int, table: Any, things: int, events: int) -> float:
    """Evaluate the code for this many things after each event; the number of blocks with hits."""
    found = 0.0
    for _ in range(0, events, TOGETHER):
        found += called_at(code, table.ctypes.data, 0, things, 0, TOGETHER)
    return found


def limit_of(again: list[float], ratios: list[float], hits: int) -> str:
    """What limits the speed of an answer: history keeps few states, so its events must be run again."""
    return (
        f"running the events again and nothing else takes {median(again):.2f}; "
        f"looking at each of them makes it {median(ratios):.2f} times that, with {hits:,} hits"
    )


def main() -> None:
    """Print a row for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--fields", action="store_true", help="each field that is declared instead, over 10⁵ events")
    parser.add_argument("--random", type=int, metavar="SEED", help="240 drawn at random instead, three times each")
    parser.add_argument("--long", action="store_true", help="those of the help page instead, over 10⁸ events")
    options = parser.parse_args()
    few = options.quick or options.fields or options.random is not None
    rounds = 1 if options.long else 3 if few else 11
    chosen = tuple((scenario, text, LONG) for scenario, text in ASKED_LONG) if options.long else ASKED
    named = [(name, Session.open(name).info.words) for name in sorted({name for name, _ in ASKED_LONG})]
    if options.random is not None:
        drawn = [(name, TwoClauses(words, Random(f"{options.random} {name}"))) for name, words in named]
        chosen = tuple((name, clauses.question(), MILLION) for name, clauses in drawn for _ in range(DRAWN))
    if options.fields:
        chosen = tuple((name, text, MILLION // 10) for name, words in named for text in of_each_field(words))
    print("| scenario | question | events | hits | asked / run again | CPU s | s by the clock | MB in all |")
    print("|---|---|---|---|---|---|---|---|")
    # Each question has a process of its own, so that its memory can be measured.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        for scenario, text, events in chosen:
            print(processes.submit(row, scenario, text, events, rounds).result(), flush=True)


if __name__ == "__main__":
    main()
