"""Runs a user policy, in the policy process, so that nothing it does can corrupt a run.

Every fault becomes a :class:`model.errors.PolicyError` of one line: the file, the line, the event,
what was found and why that is impossible.

- The policy reads the state in read-only memory, and a copy of the numbers, which is compared after each event.
- Each resumption has a time limit, each event limits of sub-steps and time, and all policies together one of memory.
- Attributes and the file's variables must not change between events.

If the policy ends the process, or C code never returns, :mod:`.hosted` reports it from outside.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterator, Mapping, NamedTuple, cast

import numpy as np

from slotscope.model.errors import PolicyFileError
from slotscope.model.policies.common import PseudocodeLine
from slotscope.model.policies.own.call import END, Call
from slotscope.model.policies.own.kind import Occasion, OwnKind
from slotscope.model.policies.own.memory import Lasting, TooMuchError
from slotscope.model.policies.own.shown import PrivateNumbers, Shown
from slotscope.model.policies.own.sound import MOST_MEMORY, Check, NotADecisionError, arrays, found, number, sound
from slotscope.model.policies.own.wire import ViewPart
from slotscope.model.reporting.records import Line, Record, altered
from slotscope.model.systems.view import PolicyView

#: The most values kept of one record, characters of a text, and members of a tuple.
MOST_VALUES = 50
MOST_CHARACTERS = 200
MOST_MEMBERS = 100

#: Integers below this bound are plain; and types whose values are all plain.
_SMALL = 2**63
_PLAIN = frozenset({float, bool, type(None), Fraction})


class BadValueError(ValueError):
    """A record has a value that cannot be shown."""


def plain_values(
    record: Record, kind: OwnKind, view: PolicyView, arguments: tuple[Any, ...], by_user: bool
) -> dict[str, Any]:
    """The values of a sound *record* as plain data.

    A decision also gets the values that explain it, unless it has them.  Kinds and names are checked only if the
    record comes from the user's code (*by_user*), not from a module of the program that the policy calls.
    Raises BadValueError if a value cannot be shown under its name.
    """
    if len(record.values) > MOST_VALUES:
        raise BadValueError(f"a record has {len(record.values)} values, allowed: {MOST_VALUES}")
    values: dict[str, Any] = {}
    if type(record) is not Record:
        values.update(kind.explained(record, view, arguments))
    for name, value in record.values.items():
        if type(name) is not str or len(name) > MOST_CHARACTERS:
            raise BadValueError(f"the name of a value is {found(name)}, allowed: a short text")
        small = type(value) is int and -_SMALL < value < _SMALL
        values[name] = value if small or type(value) in _PLAIN else _plain(value)
    if by_user:
        if type(record) is Record:
            _check_kind(record, kind, values)
        if not kind.names.keys().isdisjoint(values):
            _check_names(values, kind, view)
    if len(record.kind) > MOST_CHARACTERS:
        raise BadValueError(f"a kind of {len(record.kind)} characters, allowed: {MOST_CHARACTERS}")
    return values


def _plain(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is int:
        return value if value.bit_length() <= 200 else found(value)
    if kind is str:
        return value if len(value) <= MOST_CHARACTERS else f"{value[:MOST_CHARACTERS]}..."
    if isinstance(value, np.generic):
        return _plain(value.item(), depth) if not isinstance(value, np.void) else "a record"
    if isinstance(value, np.ndarray) and value.size <= MOST_MEMBERS and not value.dtype.hasobject:
        return _plain(value.tolist(), depth)
    if kind in (tuple, list, set, frozenset) and len(value) <= MOST_MEMBERS and depth < 3:
        return tuple(_plain(item, depth + 1) for item in value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return f"a {kind.__name__}"


def _check_kind(record: Record, kind: OwnKind, values: Mapping[str, Any]) -> None:
    if record.kind in kind.reserved:
        raise BadValueError(
            f"a record of the kind '{record.kind}', which the program itself uses; allowed: another word"
        )
    needed = kind.needed.get(record.kind, ())
    if needed and (missing := [name for name in needed if name not in values]):
        raise BadValueError(
            f"a record of the kind '{record.kind}' without the value '{missing[0]}', allowed: all of "
            f"{', '.join(needed)}, or another kind"
        )


def _check_names(values: Mapping[str, Any], kind: OwnKind, view: PolicyView) -> None:
    try:
        for name, value in values.items():
            if check := kind.names.get(name):
                check(value, f"the value '{name}'", view.numbers)
    except NotADecisionError as error:
        raise BadValueError(f"{error}; what is meant otherwise needs another name") from None


#: Attributes that the systems of all kinds read.
_OF_ALL_KINDS: Mapping[str, Check] = {"memory": number(0, MOST_MEMORY)}


def _lines(value: Any, name: str, _: Any) -> tuple[PseudocodeLine, ...]:
    """Check lines of pseudocode."""
    if not isinstance(value, tuple) or any(type(one) is not PseudocodeLine for one in value):
        raise NotADecisionError(f"{name} is {found(value)}, allowed: a tuple of PseudocodeLine")
    return value


class Made(NamedTuple):
    """A policy made from a file."""

    policy: Any
    variables: Mapping[str, Any]  #: the module variables of its file
    attributes: Mapping[str, Any]  #: the wanted attributes that it has


#: Makes a fresh policy: (its own copy of the numbers, names of the wanted attributes).
Maker = Callable[[Any, tuple[str, ...]], Made]


class GuardedPolicy:
    """A user policy, run under guard.

    - *kind*: What its kind of system declares about user policies.
    - *path*: The file, as the user named it; also the file name in its code objects.
    - *make*: Executes the file anew and makes the policy.
    - *pseudocode*, *own_algorithm*: The lines to show, and the algorithm number of the file's own lines among them.
      Lines that the made policy overrides in its ``pseudocode`` are shown as overridden.
    """

    def __init__(
        self,
        kind: OwnKind,
        path: str,
        numbers: Any,
        make: Maker,
        pseudocode: tuple[PseudocodeLine, ...],
        own_algorithm: int,
    ) -> None:
        self.path = path
        self.kind = kind
        self._own_algorithm = own_algorithm
        self._own_lines = {line.line for line in pseudocode}
        self.real = numbers  #: the numbers themselves; the policy gets a copy
        self._make = make
        self._checks = {**_OF_ALL_KINDS, **kind.attributes}
        given = self._fresh()
        departures = {one.line: one for one in self._checked(_lines, given.get("pseudocode", ()), "pseudocode")}
        #: The attributes that the program needs, checked.
        self.attributes = {
            "pseudocode": tuple(departures.get(one.line, one) for one in pseudocode),
            "paper": str(given.get("paper", "")),
            "kernel_data": self._checked(arrays, given.get("kernel_data", ()), "kernel_data"),
            **{name: self._checked(check, given[name], name) for name, check in self._checks.items() if name in given},
        }
        whole = object.__new__(kind.base)
        vars(whole).update(self.attributes)
        self._checked(lambda *_: kind.together(whole, numbers), None, "")

    def _fresh(self) -> Mapping[str, Any]:
        """Make a fresh policy, free of changes that a failed one made; return its attributes."""
        self._numbers = PrivateNumbers(self.real, self.kind.parts)
        wanted = ("paper", "kernel_data", "pseudocode", *self._checks)
        self._policy, variables, attributes = self._make(self._numbers.copy, wanted)
        try:
            self._lasting = Lasting(self._policy, variables, (self._numbers.copy, self.real))
        except TooMuchError as error:
            raise PolicyFileError(str(error), where=self.path) from None
        self._spoilt = False
        return attributes

    def _checked(self, check: Check, value: Any, name: str) -> Any:
        try:
            return check(value, name, self.real)
        except NotADecisionError as error:
            raise PolicyFileError(str(error), where=self.path) from None

    def renew(self) -> None:
        """Make the policy anew if a fault has left it changed."""
        if self._spoilt:
            self._fresh()

    # One event.

    def called(self, occasion: Occasion, shown: Shown, seen: PolicyView | ViewPart, arguments: tuple[Any, ...]) -> Call:
        """A call on one occasion, not yet begun; *seen* is the view, or the parts of it that were sent."""
        viewed = shown.viewed_by if type(seen) is ViewPart else shown.like
        view = viewed(cast(Any, seen), self._numbers.copy)
        return Call(self.kind, self.path, occasion, view, arguments)

    def steps(self, call: Call, told: bool = True) -> Iterator[Record]:
        """The records that the policy yields, checked.

        Without *told*, records that only explain are passed on only in slow events, so that these can be interrupted.
        Raises PolicyFileError if the policy does something that it must not.
        """
        try:
            if (method := getattr(self._policy, call.occasion.name, None)) is not None:
                call.begin(method)
                while (given := call.resume()) is not END:
                    record = self._sound(call, given, told)
                    if told or type(record) is not Record or call.is_slow or record.kind in self.kind.heeded:
                        yield record
            if not call.answered:
                raise call.fault(f"it {call.occasion.unanswered}", call.first_line)
            self._check_what_lasts(call)
        except PolicyFileError:
            self.left(call)
            self._spoilt = True
            raise

    def left(self, call: Call) -> None:
        """The event was abandoned halfway, for example by a rewind or a jump to another event."""
        call.close()
        self._spoilt = bool(self._spoilt or self._lasting.changed())

    def _sound(self, call: Call, given: Any, told: bool) -> Record:
        """A record with exact fields and, unless it only explains and *told* is false, its line and values.

        A record without a line gets that of the file, if this line is shown.
        """
        try:
            record = sound(given, self.kind.records, self.real)
            call.answered |= type(record) in call.occasion.answers
            values = plain_values(record, self.kind, call.view, call.arguments, call.in_file)
        except (BadValueError, NotADecisionError) as error:
            raise call.fault(str(error)) from None
        if not told and (type(record) is Record or not values):
            return record  # its line is not needed
        line = Line(self._own_algorithm, call.line)
        known = record.line is not None or line not in self._own_lines
        return altered(record, {"values": values} if known else {"values": values, "line": line})

    def _check_what_lasts(self, call: Call) -> None:
        if touched := self._numbers.changed():
            raise call.fault(f"it changes what it is shown: {', '.join(touched)} of the numbers", call.first_line)
        if names := self._lasting.changed():
            raise call.fault(
                f"it changes {', '.join(names[:3])}, which a rewind cannot take back; allowed: "
                "memory = m in the class, view.memory and yield Remember(numbers=...)",
                call.first_line,
            )
