"""Records what a compiled run changes, event by event: the rows of some arrays of its state.

Each watched array has one row for each place of a thing: a server, or a record of the job table.  After each event that
somebody asks about, the arrays are compared with a copy from before, which costs a fraction of a nanosecond a byte, and
the rows that differ are recorded.  If a kind of system names the columns of an event's row that hold the places it may
have changed, or has compiled code that derives them from the state, only those places are compared.  Values derived
from the whole state, such as the ranks of servers, are updated by compiled code and compared in the same way.
Alternatively (*whole*) each array is a single row and is recorded as it is, for what is read from the state itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Callable, Collection, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled_anew, jitable, unsigned, with_others

Array = Any

#: Most arrays that can be watched at once.
MOST_WATCHED = 6

#: Least capacity of a log, in entries: so that a slice whose events change much need not end early.
FEWEST_ENTRIES = 2**18

#: Bytes of a word, and words that are compared at once, vectorized.
WORD, BLOCK = 8, 64

#: How many bytes can be compared in blocks in the time that it takes to compare one place named by a row.
BYTES_FOR_A_PLACE = 128

#: How many bytes can be compared in blocks in the time that it takes to derive which places one event changed.
BYTES_FOR_AN_EVENT = 2**11


class Touched(NamedTuple):
    """Which places an event may have changed: those in *columns* of its row, 32-bit integers, -1 for none.

    If a column in *most* exceeds its limit, the event may have changed any place.
    """

    columns: tuple[str, ...]
    most: tuple[tuple[str, int], ...] = ()


class StateRows:
    """A state with some arrays replaced or added."""

    def __init__(self, state: Any, rows: Mapping[str, NDArray[Any]]) -> None:
        self._state, self._rows = state, rows

    def __getattr__(self, name: str) -> Any:
        return self._rows[name] if name in self._rows else getattr(self._state, name)


class Derived(NamedTuple):
    """Numbers of each thing that are derived from the whole state, such as ranks.

    *start* takes a state, and gives the numbers *names* [n, places] and a working array [m], both int64.  *follow*,
    jitable, takes a later state, both arrays and the rows [k, bytes] of the events since, and updates the arrays.  It
    returns how many places may have changed numbers, which it writes to the start of the working array; -1: any may.
    If *every* is set, the state's own rows have changed at these places only, too.
    """

    names: tuple[str, ...]
    start: Callable[[Any], tuple[NDArray[np.int64], NDArray[np.int64]]]
    follow: Callable[[Any, Array, Array, Array], int]
    every: bool = False

    def seen(self, state: Any) -> StateRows:
        """The state with these numbers added."""
        return StateRows(state, dict(zip(self.names, self.start(state)[0], strict=True)))


class DerivedSoFar(NamedTuple):
    """What was derived up to the state that a run stopped at: a new start takes as long as hundreds of events."""

    derived: Derived
    numbers: NDArray[np.int64]  #: [n, places]
    kept: NDArray[np.int64]  #: [m] the working array


class RowChanges(NamedTuple):
    """Rows that events changed, in the order of events."""

    event: NDArray[np.int64]  #: [m] the event of the slice, from 0, after which the change was seen
    place: NDArray[np.int64]  #: [m] the changed place; 0 if arrays are recorded whole
    previous: NDArray[np.int64]  #: [m] the index of the previous change of the same place; -1: none
    rows: dict[str, NDArray[Any]]  #: [m, ...] of each array, the row after the event
    derived: dict[str, NDArray[np.int64]]  #: [places] the derived numbers before the first event


class Log(NamedTuple):
    """What the compiled loop compares and writes; arrays as bytes, unused ones are empty."""

    then: tuple[Array, ...]  #: [places * width] the arrays as they were when last compared
    widths: Array  #: bytes in a row of each
    compared: Array  #: whether each array is compared; the others change only where one of these does
    anywhere: Array  #: whether each may change at places that rows do not name, but :attr:`Derived.follow` tells
    whole: bool  #: whether each array is one row, recorded without a comparison
    moments: Array  #: [k] the events of the slice, from 0, after which arrays are compared
    derived: Array  #: [n, places] the derived numbers, see :class:`Derived`
    kept: Array  #: [m] the working array beside them; [0]: nothing is derived
    tape: Array  #: [n, bytes] the rows of the slice
    named: Array  #: [c] the offsets in a row of the places that its event may have changed; empty: it may be any
    most: Array  #: [d, 2] the offset in a row of a number, and its limit, above which any place may have changed
    only: Array  #: [p] the places that are asked about; empty: all
    latest: Array  #: [places] the latest entry of each, -1 for none
    event: Array  #: [m] of each entry, as in :class:`RowChanges`
    place: Array  #: [m]
    previous: Array  #: [m] the previous entry of the same place, -1 for none
    taken: tuple[Array, ...]  #: [m, width] the recorded rows
    count: Array  #: [2] the number of entries; of moments that have passed


def kernel(*_: Any) -> int:
    """Placeholder for the kernel that is watched."""
    raise TypeError("a kernel takes the place of this function before it is called")


@jitable
def follow_nothing(state: Any, derived: Array, kept: Array, rows: Array) -> int:  # noqa: ARG001
    """The :attr:`Derived.follow` of kinds that derive nothing; placeholder for that of the others."""
    return 0


def advance_watched(
    state: Any,
    index: Any,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
    now: Any,
    log: Any,
) -> int:
    """Run the kernel from moment to moment, recording changes in between; *now* are the watched arrays as bytes."""
    places = len(now[0]) // log.widths[0]
    while done[0] < len(tape):
        if log.count[0] + places > len(log.event):
            return 0
        looked = log.count[1] < len(log.moments)
        end = log.moments[log.count[1]] + 1 if looked else len(tape)
        code = kernel(*((state,) + index + (jobs, constant, until, tape[:end], samples, done, outcome)))  # noqa: RUF005
        if looked and done[0] == end:
            first = log.moments[log.count[1] - 1] + 1 if log.count[1] > 0 else 0
            told = follow_nothing(state, log.derived, log.kept, log.tape[first:end]) if len(log.kept) > 0 else 0
            note(now, log, first, end - 1, told)
            log.count[1] += 1
        if code != 0:
            return code
    return 0


@jitable
def note(now: Any, log: Any, since: int, event: int, told: int) -> None:
    """Record the rows that differ after the events *since* to *event*, and update the copy that they are compared with.

    The first *told* entries of ``log.kept`` are the places that :attr:`Derived.follow` found; -1: it may be any."""
    first = log.count[0]
    if log.whole:
        put(log, first, event, 0)
    elif len(log.only) > 0:
        compare_only(now, log, first, event)
    else:
        named = names_all(now, log, since, event)
        if named:
            compare_named(now, log, since, first, event)
        if told >= 0:
            compare_told(now, log, told, first, event)
        compare_all(now, log, named, told >= 0, first, event)
    for array in range(MOST_WATCHED):
        content, taken, width = now[array], log.taken[array], log.widths[array]
        if width > 0 and width % WORD == 0:
            words, noted, whole = content.view(np.uint64), taken.view(np.uint64), width // WORD
            for entry in range(first, log.count[0]):
                start = log.place[unsigned(entry)] * whole
                for at in range(whole):
                    noted[unsigned(entry), unsigned(at)] = words[unsigned(start + at)]
            continue
        for entry in range(first, log.count[0] if width > 0 else first):
            start = log.place[unsigned(entry)] * width
            for at in range(width):
                taken[unsigned(entry), unsigned(at)] = content[unsigned(start + at)]


@jitable
def compare_only(now: Any, log: Any, first: int, event: int) -> None:
    """Record the rows that differ, among the places that are asked about."""
    for place in log.only:
        for array in range(MOST_WATCHED):
            if log.compared[array]:
                compare_row(now[array], log.then[array], place, log.widths[array], log, first, event)


@jitable
def names_all(now: Any, log: Any, since: int, event: int) -> bool:
    """Whether the rows of some events name all places that they may have changed, and comparing these is faster."""
    size = 0
    for array in range(MOST_WATCHED):
        if log.compared[array] and not log.anywhere[array]:
            size += len(now[array])
    if len(log.named) == 0 or (event + 1 - since) * len(log.named) * BYTES_FOR_A_PLACE > size:
        return False
    within = True
    for at in range(since, event + 1):
        within &= is_within(log.tape[at], log.most)
    return within


@jitable
def is_within(row: Array, most: Array) -> bool:
    """Whether a row is within all limits *most* [d, 2], so that it names all places that have changed."""
    within = True
    for column in range(len(most)):
        within &= number_in(row, most[column, 0]) <= most[column, 1]
    return bool(within)


@jitable
def number_in(row: Array, offset: int) -> int:
    """The 32-bit little-endian integer at an offset of a row."""
    number = np.int64(0)
    for byte in range(4):
        number |= np.int64(row[offset + byte]) << (8 * byte)
    return int(number - (np.int64(1) << 32) if number >> 31 else number)


@jitable
def compare_named(now: Any, log: Any, since: int, first: int, event: int) -> None:
    """Record the rows that differ, among the places that the rows of events *since* to *event* name."""
    for at in range(since, event + 1):
        for column in range(len(log.named)):
            place = number_in(log.tape[at], log.named[column])
            for array in range(MOST_WATCHED):
                if place >= 0 and log.compared[array] and not log.anywhere[array]:
                    compare_row(now[array], log.then[array], place, log.widths[array], log, first, event)


@jitable
def compare_told(now: Any, log: Any, told: int, first: int, event: int) -> None:
    """Record the rows that differ, among the first *told* places in ``log.kept``."""
    for array in range(MOST_WATCHED):
        if log.compared[array] and log.anywhere[array]:
            for at in range(told):
                compare_row(now[array], log.then[array], log.kept[at], log.widths[array], log, first, event)


@jitable
def compare_all(now: Any, log: Any, named: bool, told: bool, first: int, event: int) -> None:
    """Record all rows that differ, of the arrays whose changed places are not known (*named* or *told*)."""
    for array in range(MOST_WATCHED):
        if not log.compared[array] or (told if log.anywhere[array] else named):
            continue
        content, then, width = now[array], log.then[array], log.widths[array]
        whole = len(content) // 8 * 8
        words, were = content[:whole].view(np.uint64), then[:whole].view(np.uint64)
        blocks = len(words) // BLOCK
        for block in range(blocks):
            if differs(words, were, block * BLOCK):
                compare_words(content, then, block * BLOCK, (block + 1) * BLOCK, width, log, first, event)
        compare_words(content, then, blocks * BLOCK, len(words), width, log, first, event)
        compare(content, then, whole, len(content), width, log, first, event)


@jitable
def differs(words: Array, were: Array, start: int) -> bool:
    """Whether a block of words differs; its length is a compile-time constant, so that the loop is vectorized."""
    found = words[unsigned(start)] ^ were[unsigned(start)]
    for at in range(BLOCK):
        found |= words[unsigned(start + at)] ^ were[unsigned(start + at)]
    return bool(found != 0)


@jitable
def compare_words(
    content: Array, then: Array, start: int, end: int, width: int, log: Any, first: int, event: int
) -> None:
    """As :func:`compare`, for the words *start* to *end* of eight bytes each."""
    words, were = content[8 * start : 8 * end].view(np.uint64), then[8 * start : 8 * end].view(np.uint64)
    for at in range(end - start):
        if words[unsigned(at)] == were[unsigned(at)]:
            continue
        if width == WORD:  # the word is a whole row
            were[unsigned(at)] = words[unsigned(at)]
            put(log, first, event, start + at)
        else:
            compare(content, then, WORD * (start + at), WORD * (start + at + 1), width, log, first, event)


@jitable
def compare_row(content: Array, then: Array, place: int, width: int, log: Any, first: int, event: int) -> None:
    """Record the row of a place if it differs."""
    start = place * width
    if width % WORD != 0:
        compare(content, then, start, start + width, width, log, first, event)
        return
    words, were = content.view(np.uint64), then.view(np.uint64)
    start, differ = start // WORD, np.uint64(0)
    for at in range(width // WORD):
        differ |= words[unsigned(start + at)] ^ were[unsigned(start + at)]
    if differ != 0:
        put(log, first, event, place)
        for at in range(width // WORD):
            were[unsigned(start + at)] = words[unsigned(start + at)]


@jitable
def compare(content: Array, then: Array, start: int, end: int, width: int, log: Any, first: int, event: int) -> None:
    """Record the rows that differ in the bytes *start* to *end*."""
    at = start
    while at < end:
        if content[at] == then[at]:
            at += 1
            continue
        place = at // width  # one division per row: it takes as long as all the rest
        put(log, first, event, place)
        while at < min(end, (place + 1) * width):
            then[at] = content[at]
            at += 1


@jitable
def put(log: Any, first: int, event: int, place: int) -> None:
    """Append an entry for a place, unless there is one from *first* on, of the same moment."""
    if log.latest[unsigned(place)] < first:
        entry = log.count[0]
        log.previous[unsigned(entry)] = log.latest[unsigned(place)]
        log.latest[unsigned(place)] = entry
        log.event[unsigned(entry)] = event
        log.place[unsigned(entry)] = place
        log.count[0] = entry + 1


class RowWatch:
    """Watches some arrays of a state while its engine advances."""

    def __init__(
        self,
        state: Any,
        names: Sequence[str],
        moments: NDArray[np.int64],
        tape: np.ndarray,
        settled: Collection[str] = (),
        whole: bool = False,
        touched: Touched | None = None,
        derived: Derived | None = None,
        only: Sequence[int] = (),
        begun: DerivedSoFar | None = None,
    ) -> None:
        """Watch at most MOST_WATCHED *names*; *moments* are the coming events, from 0, after which to compare.

        Arrays that are *settled* change only in rows in which others do, and are not compared.  Arrays watched *whole*
        are one row each, and do not grow.  *touched* refers to the rows on the *tape*, and does not cover *derived*
        numbers, for which *begun* may be what an earlier watch left.  If places are given in *only*, no others count.
        """
        self._names, self._whole, self._follows = tuple(names), whole, derived
        followed, kept = np.zeros((0, 0), np.int64), np.zeros(0, np.int64)
        self._derived: dict[str, NDArray[np.int64]] = {}
        every = derived is not None and derived.every and _pays(state, names, len(moments) / max(1, len(tape)))
        if every:
            moments = np.arange(len(tape))
        if derived is not None and (every or not {*derived.names}.isdisjoint(names)):
            mine = begun is not None and begun.derived is derived
            followed, kept = begun[1:] if begun is not None and mine else derived.start(state)
            self._derived = dict(zip(derived.names, followed, strict=True))
        self._first = {name: array.copy() for name, array in self._derived.items()}
        now = self.now(state)
        places = 1 if whole else len(self._array(state, self._names[0]))
        widths = _of_each([len(content) // places for content in now[: len(self._names)]], np.int64)
        most = (len(moments) if whole else max(4 * len(moments), FEWEST_ENTRIES)) + 2 * places
        columns, numbers = touched or Touched(())
        self.log = Log(
            then=tuple(content[: 0 if whole else None].copy() for content in now),
            widths=widths,
            compared=_of_each([name not in settled for name in self._names], np.bool_),
            anywhere=_of_each([every or name in self._derived for name in self._names], np.bool_),
            whole=whole,
            moments=moments,
            derived=followed,
            kept=kept,
            tape=tape.view(np.uint8).reshape(len(tape), tape.dtype.itemsize),
            named=np.array([offset_of(tape.dtype, name) for name in columns], np.int64),
            most=np.array([(offset_of(tape.dtype, name), last) for name, last in numbers], np.int64).reshape(-1, 2),
            only=np.array(only, np.int64),
            latest=np.full(places, -1),
            event=np.empty(most, np.int64),
            place=np.empty(most, np.int64),
            previous=np.empty(most, np.int64),
            taken=tuple(np.empty((most, int(width)), np.uint8) for width in widths),
            count=np.zeros(2, np.int64),
        )

    def _array(self, state: Any, name: str) -> NDArray[Any]:
        array: NDArray[Any] = self._derived[name] if name in self._derived else getattr(state, name)
        return array

    def now(self, state: Any) -> tuple[Any, ...]:
        """The watched arrays as bytes, padded with empty ones to MOST_WATCHED."""
        own = tuple(_bytes(self._array(state, name)) for name in self._names)
        return own + (np.empty(0, np.uint8),) * (MOST_WATCHED - len(own))

    def grown(self, state: Any) -> None:
        """Go on with a state that was replaced by a copy with more places; no event has changed the new ones."""
        if self._whole:
            return
        now = self.now(state)
        then = tuple(np.r_[old, content[len(old) :]] for old, content in zip(self.log.then, now, strict=True))
        places = len(self._array(state, self._names[0]))
        latest = np.r_[self.log.latest, np.full(places - len(self.log.latest), -1)]
        self.log = self.log._replace(then=then, latest=latest)
        if len(self.log.event) < int(self.log.count[0]) + 2 * places:
            more = 2 * places
            numbers = self.log.event, self.log.place, self.log.previous
            event, place, previous = (np.r_[one, np.empty(more, np.int64)] for one in numbers)
            taken = tuple(np.r_[one, np.empty((more, one.shape[1]), np.uint8)] for one in self.log.taken)
            self.log = self.log._replace(event=event, place=place, previous=previous, taken=taken)

    def followed(self, events: int) -> DerivedSoFar | None:
        """What was derived, if it is up to date with the last of so many *events*; else None."""
        log = self.log
        over = int(log.count[1])
        ended = over > 0 and len(log.kept) > 0 and int(log.moments[over - 1]) == events - 1
        return DerivedSoFar(self._follows, log.derived, log.kept) if self._follows is not None and ended else None

    def changes(self, state: Any) -> RowChanges:
        """The changes that were recorded."""
        count, rows = int(self.log.count[0]), {}
        for name, taken in zip(self._names, self.log.taken, strict=False):
            array = self._array(state, name)
            rows[name] = _rows(taken[:count], array[None] if self._whole else array)
        log = self.log
        return RowChanges(log.event[:count], log.place[:count], log.previous[:count], rows, self._first)


def changed_rows(
    before: Any, after: Any, names: Sequence[str], whole: bool = False, derived: Derived | None = None
) -> RowChanges:
    """What one event changed, from the states before and after it; new places count as changed."""
    if derived is not None:
        before, after = derived.seen(before), derived.seen(after)
    if whole:
        none = np.zeros(1, np.int64)
        return RowChanges(none, none, none - 1, {name: getattr(after, name)[None].copy() for name in names}, {})
    places: NDArray[np.int64] = np.zeros(0, np.int64)
    for old, new in ((getattr(before, name), getattr(after, name)) for name in names):
        same = (old == new[: len(old)]).reshape(len(old), -1).all(axis=1)
        places = np.union1d(places, np.r_[np.flatnonzero(~same), np.arange(len(old), len(new))])
    rows = {name: getattr(after, name)[places] for name in names}
    first = {} if derived is None else {name: getattr(before, name) for name in derived.names}
    return RowChanges(np.zeros(len(places), np.int64), places, np.full(len(places), -1), rows, first)


@cache
def watched(run: Callable[..., int], follow: Callable[..., None], name: str) -> Callable[..., int]:
    """:func:`advance_watched` compiled for a kernel and its *follow*; *name* identifies it in the cache.

    The kernel is inlined: passing it all its arguments takes longer than an event.
    """
    copy = with_others(advance_watched, {kernel: jitable(run), follow_nothing: follow}, name)
    return compiled_anew(copy, kept=True)


def _pays(state: Any, names: Sequence[str], share: float) -> bool:
    """Whether deriving the changed places after each event is faster than comparing all after a *share* of events."""
    size = sum(int(getattr(state, name).nbytes) for name in names if hasattr(state, name))
    return share * size > BYTES_FOR_AN_EVENT


def _of_each(known: Sequence[int], kind: type[np.generic]) -> NDArray[Any]:
    """[MOST_WATCHED] a number for each array, padded with zeros."""
    numbers = np.zeros(MOST_WATCHED, kind)
    numbers[: len(known)] = known
    return numbers


def offset_of(row: np.dtype[Any], name: str) -> int:
    """The byte offset of a 32-bit integer in a row, or of the lower half of a 64-bit one."""
    assert row.fields is not None
    kind, offset = row.fields[name][:2]
    assert kind in (np.int32, np.int64), name
    return int(offset)


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """[n] a view of an array as bytes."""
    return array.reshape(-1).view(np.uint8)


def _rows(content: NDArray[np.uint8], array: NDArray[Any]) -> NDArray[Any]:
    """[m, ...] rows of an array from their bytes."""
    return np.ascontiguousarray(content).view(array.dtype).reshape(len(content), *array.shape[1:])
