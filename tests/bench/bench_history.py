"""The cost of history: keyframes, seeks, memory, copies.

Run with ``python -m tests.bench.bench_history [--quick]``.  The run is DRA on the example of
Section 7.1, scaled to more servers, from a settled state.
"""

from __future__ import annotations

import random
import tempfile
from math import ceil, log2
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Task
from slotscope.model.running.recorder import MOST_SAMPLES
from slotscope.model.running.timeline import Timeline
from slotscope.model.session.file import MOST_EARLIER, read_session
from slotscope.model.systems.state import copied, digest, frozen, size_in_bytes
from tests.bench.contestants import TAPE, of_engine
from tests.bench.timing import (
    SETTLED,
    SIZES,
    Contestant,
    Limit,
    Spread,
    Work,
    aim,
    asked_rounds,
    comparison,
    interleaved,
    ratio,
    ratios,
    section,
    settled,
    spread,
    table,
)

#: With keyframes this far apart there are none.
NEVER = 10**15

#: Milliseconds per frame at 60 frames per second.
FRAME_MS = 1000 / 60

MILLION = 1_000_000


def of_timeline(
    bench: Bench, state: ReservationState, before: int, events: int, keyframe_every: int | None
) -> Contestant:
    """A timeline that continues from a state after *before* events, with a keyframe every *keyframe_every* events."""

    def contestant() -> Work:
        engine = bench.kernel()
        if keyframe_every is not None:
            engine.keyframe_every = keyframe_every
        line = Timeline(bench.system, engine, state)
        line.advance(before)

        def work() -> float:
            line.advance(events)
            return float(events)

        return work

    return contestant


def of_sampling(bench: Bench, state: ReservationState, before: int, events: int) -> Contestant:
    """The kernel alone, taking the samples that history would keep of these events, and discarding them."""
    engine, tape = bench.kernel(), np.zeros(TAPE, bench.system.row_dtype)

    def contestant() -> Work:
        current = copied(state)
        engine.advance(current, tape[:0], Task())  # builds the index that is kept beside the state

        def work() -> float:
            now: Any = current
            for past in range(before, before + events, TAPE):
                sparse = max(0, ceil(log2(past / MOST_SAMPLES)))
                now = engine.advance(now, tape, Task(stride=2**sparse)).state
            return float(events)

        return work

    return contestant


def bench_keyframes(bench: Bench, state: ReservationState, rounds: int, before: int, events: int) -> None:
    """Print the cost of keyframes, and of history as a whole.

    The first events are sampled one by one, and later ones less and less often, so the cost depends on *before*.
    """
    ways = {
        "timeline, no keyframes": of_timeline(bench, state, before, events, NEVER),
        "timeline, keyframes": of_timeline(bench, state, before, events, None),
        "kernel alone (no samples, no recent rows)": of_engine(bench.kernel(), bench.system.row_dtype, state, events),
        "kernel alone, with the samples that history keeps": of_sampling(bench, state, before, events),
    }
    times = interleaved(ways, rounds)
    without, with_keyframes, alone, sampling = times.values()
    overhead = spread(100 * (x / y - 1) for x, y in zip(with_keyframes, without, strict=True))
    section(
        f"keyframes, L = {bench.numbers.servers}, {events} events after {before}",
        comparison(times),
        f"\nkeyframes cost {overhead.text(2)} % of the run; "
        f"history as a whole {ratio(with_keyframes, alone).text()} "
        "times the kernel alone",
    )
    whole = ratios(with_keyframes, alone)
    more, taking, frames = (
        spread(1000 * events * (x - y) for x, y in zip(mine, base, strict=True)).text(2)
        for mine, base in ((with_keyframes, alone), (sampling, alone), (with_keyframes, without))
    )
    first = f", of the first {MOST_SAMPLES} events one by one" if before < MOST_SAMPLES else ""
    limit = (
        f"{more} ms more for {events} events: {taking} to take samples{first}, {frames} for keyframes, "
        "the rest to keep samples and rows"
    )
    what = f"history as a whole / the kernel alone, L = {bench.numbers.servers}, after {before} events"
    least = Limit("the kernel with the samples that history keeps, and nothing else", ratios(sampling, alone))
    aim(what, 1.3, whole, limit=least, limit_is=limit)


def bench_saved(events: int, seeks: int) -> None:
    """Print the cost of saving a long run, of opening it again, and of seeking in it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.slotscope"
        session = Session.open("dra-vms", "dra", kernel=True)
        started = process_time()
        session.run(events=events)
        ran = process_time()
        session.save(path)
        saved = process_time()
        again = Session.load(path)
        opened = process_time()
        read_session(path)
        alone = process_time() - opened
        size = path.stat().st_size / 2**20
    section(
        f"a saved run of {events} events",
        f"{1e6 * (ran - started) / events:.3f} µs an event with history, {saved - ran:.2f} s to save {size:.1f} MiB",
    )
    limit = f"reading and checking the file's {size:.1f} MiB alone takes {alone:.2f}"
    aim(f"opening a saved run of {events} events", 1, [opened - saved], "CPU s", limit_is=limit)
    chosen, found = random.Random(1), []
    for _ in range(seeks):
        again.seek(chosen.randrange(events))
        started = process_time()
        again.seek(chosen.randrange(events))
        found.append(1000 * (process_time() - started))
    limit = f"a file keeps {MOST_EARLIER} states: up to {events // MOST_EARLIER} events are run again once"
    aim(f"seek in a run of {events} events just opened", FRAME_MS, found, "CPU ms", limit_is=limit)


def milliseconds(calls: list[float]) -> tuple[str, str]:
    """Median and worst, in milliseconds."""
    found = spread(1000 * call for call in calls)
    return f"{found.median:.2f}", f"{found.most:.2f}"


def bench_seeks(servers: int, time: float, events: int, seeks: int) -> None:
    """Print the cost of a seek to any of the last events of a run."""
    bench, state = settled(servers, "dra", time)
    session = Session(bench, "bench", state)
    session.use_kernel()
    session.run(events=events)
    line, end = session.timeline, session.timeline.event
    start = max(line.first_event, end - MILLION)
    found = seek_times(session, start, end, seeks)
    extent = line.extent()
    rows = [(name, *milliseconds(calls)) for name, calls in found.items()]
    spacing = spread(y - x for x, y in zip(extent.keyframes, extent.keyframes[1:], strict=False))
    section(
        f"seeks within the last {end - start} events, L = {servers}",
        table(("what", "median CPU ms", "worst CPU ms"), rows),
        f"\na frame of 60 per second has {FRAME_MS:.1f} ms; {extent.verified} landings were "
        "compared with their recorded states",
        f"history takes {extent.bytes / 2**20:.0f} MiB, "
        f"{extent.bytes / 2**20 * MILLION / (end - line.first_event):.0f} MiB per million events; "
        f"a keyframe every {spacing.text(6)} events",
    )

    anywhere = [1000 * second for second in found["to a place, sub-steps of its event too"]]
    aim(f"seek within {end - start} events, L = {servers}", FRAME_MS, anywhere, "CPU ms")


def seek_times(session: Session, start: int, end: int, seeks: int) -> dict[str, list[float]]:
    """CPU seconds of seeks to random events, and of the window's other work at a seek."""
    chosen = random.Random(1)
    line = session.timeline
    last = max(frame for frame in line.extent().keyframes if frame < end)
    found: dict[str, list[float]] = {
        "to a place (timeline)": [],
        "frame there": [],
        "to a place, sub-steps of its event too": [],
    }
    for turn in range(seeks):
        place = last - 1 if turn == 0 else chosen.randrange(start, end)
        line.seek(end)
        started = process_time()
        line.seek(place)
        reached = process_time()
        session.seek(place)  # is already there, and recovers the records of the last event
        session.frame()
        found["to a place (timeline)"].append(reached - started)
        found["frame there"].append(process_time() - reached)
        line.seek(end)
        started = process_time()
        session.seek(place)
        found["to a place, sub-steps of its event too"].append(process_time() - started)
    return found


def bench_copies(servers: int, time: float, rounds: int) -> None:
    """Print the cost of a snapshot."""
    _, state = settled(servers, "dra", time)
    size = size_in_bytes(state)

    def repeated(call: object, times: int = 50) -> Contestant:
        def contestant() -> Work:
            def work() -> float:
                for _ in range(times):
                    call(state)  # type: ignore[operator]
                return float(times)

            return work

        return contestant

    ways = {"copy": repeated(copied), "frozen copy (a frame's)": repeated(frozen), "digest": repeated(digest, 5)}
    times = interleaved(ways, rounds)
    kilobytes: Spread = spread([size / 1000])
    section(f"a snapshot of {kilobytes.median:.0f} kB, L = {servers}", comparison(times, "snapshot"))


def main() -> None:
    """Measure everything and print the tables."""
    rounds, quick = asked_rounds(__doc__, "two rounds, L = 180 and 1000 only")
    for servers in SIZES[:2] if quick else SIZES:
        bench, state = settled(servers, "dra", SETTLED)
        for before in (1, MILLION // 2 if quick else 10 * MILLION):
            bench_keyframes(bench, state, rounds, before, 200_000 if quick else 300_000)
        bench_seeks(servers, SETTLED, MILLION // 4 if quick else MILLION + 5000, 8 if quick else 40)
        bench_copies(servers, SETTLED, rounds)
    bench_saved(MILLION if quick else 100 * MILLION, 8 if quick else 20)


if __name__ == "__main__":
    main()
