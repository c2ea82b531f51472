"""Runs a policy that somebody else wrote, so that nothing it does can harm the run.

Whatever goes wrong becomes a :class:`model.errors.PolicyError` of one line: the file, the
line, the event, what was found and why that is impossible.

- The policy is shown a copy of the state and of the numbers, compared after each resumption.
- Each resumption has a limit of time and of memory, each event one of sub-steps and one of time.
- Attributes and the file's variables must not change between events.

Code that leaves the process (``os._exit``), and what happens inside one call of C code that
crashes, blocks or fills the memory, are beyond what can be guarded here.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Callable, Generator, Iterator, Mapping, NamedTuple

from slotscope.model.errors import PolicyError, PolicyFileError
from slotscope.model.policies.common import Policy, PseudocodeLine
from slotscope.model.policies.own.call import END, Call
from slotscope.model.policies.own.kernel import arrays
from slotscope.model.policies.own.kind import Occasion, OwnKind
from slotscope.model.policies.own.memory import Lasting, TooMuchError
from slotscope.model.policies.own.records import BadValueError, plain_record
from slotscope.model.policies.own.shown import PrivateNumbers
from slotscope.model.policies.own.sound import MOST_MEMORY, Check, NotADecisionError, found, number, sound
from slotscope.model.records import Line, Record
from slotscope.model.systems.view import PolicyView

#: What a policy of one's own is told when a replay takes another course.
ON_DRIFT = (
    "the policy decided differently when it was asked again; take random numbers from "
    "view.random(name) and no time of day, and keep what must last with Remember"
)

#: Attributes that the systems of all kinds read.
_OF_ALL_KINDS: Mapping[str, Check] = {"memory": number(0, MOST_MEMORY)}


def _lines(value: Any, name: str, _: Any) -> tuple[PseudocodeLine, ...]:
    """Lines of pseudocode."""
    if not isinstance(value, tuple) or any(type(one) is not PseudocodeLine for one in value):
        raise NotADecisionError(f"{name} is {found(value)}, allowed: a tuple of PseudocodeLine")
    return value


class Made(NamedTuple):
    """A policy that was made of a file."""

    policy: Any
    variables: Mapping[str, Any]  #: those of its file
    attributes: Mapping[str, Any]  #: those of the wanted ones that it has


#: Makes a fresh policy, told its own copy of the numbers and which attributes are wanted.
Maker = Callable[[Any, tuple[str, ...]], Made]


@cache
def guarded(base: Any) -> Any:
    """The guard for policies of one's own, as the system of *base*'s kind meets it."""
    return type("GuardedPolicy", (GuardedPolicy, base), {})


class GuardedPolicy(Policy):
    """A policy of one's own.

    Parameters
    ----------
    kind:
        The words and checks of its kind of system.
    path:
        The file, as the user named it; also the name in its code objects.
    make:
        Executes the file anew and makes the policy.
    pseudocode, own_algorithm:
        What is shown, and the number of the algorithm that the file's own lines are there.  Lines that
        the policy itself has otherwise are shown as it has them.
    """

    may_fail = True
    on_drift = ON_DRIFT

    def __init__(
        self,
        kind: OwnKind,
        path: str,
        numbers: Any,
        make: Maker,
        pseudocode: tuple[PseudocodeLine, ...] = (),
        own_algorithm: int = 1,
    ) -> None:
        self.name = path
        self._kind = kind
        self._own_algorithm = own_algorithm
        self._own_lines = {line.line for line in pseudocode}
        self._real = numbers
        self._make = make
        self._checks = {**_OF_ALL_KINDS, **kind.attributes}
        attributes = self._renew()
        self.title = str(attributes.get("title", "")) or path
        self.paper = str(attributes.get("paper", ""))
        departures = {one.line: one for one in self._checked(_lines, attributes.get("pseudocode", ()), "pseudocode")}
        self.pseudocode = tuple(departures.get(one.line, one) for one in pseudocode)
        self.kernel_data = self._checked(arrays, attributes.get("kernel_data", ()), "kernel_data")
        for name, check in self._checks.items():
            if name in attributes:
                setattr(self, name, self._checked(check, attributes[name], name))
        self._checked(lambda *_: kind.together(self, numbers), None, "")
        for occasion in kind.occasions:
            setattr(self, occasion.name, partial(self._called, occasion))

    def _renew(self) -> Mapping[str, Any]:
        """A fresh policy, with nothing left of what a failed one has changed; its attributes."""
        self._numbers = PrivateNumbers(self._real, self._kind.parts)
        wanted = ("title", "paper", "kernel_data", "pseudocode", *self._checks)
        self._policy, variables, attributes = self._make(self._numbers.copy, wanted)
        try:
            self._lasting = Lasting(self._policy, variables, (self._numbers.copy, self._real))
        except TooMuchError as error:
            raise PolicyFileError(str(error), where=self.name) from None
        self._spoilt = False
        return attributes

    def _checked(self, check: Check, value: Any, name: str) -> Any:
        try:
            return check(value, name, self._real)
        except NotADecisionError as error:
            raise PolicyFileError(str(error), where=self.name) from None

    # One event.

    def _called(self, occasion: Occasion, view: PolicyView, *arguments: Any) -> Generator[Record, None, None]:
        if self._spoilt:
            self._renew()
        call = Call(self._kind, self.name, occasion, view, arguments, self._numbers)
        try:
            yield from self._steps(call)
            if not call.answered:
                raise call.fault(f"it {occasion.unanswered}", call.first_line)
            self._check_what_lasts(call)
        except GeneratorExit:  # the event was left halfway, to go back or elsewhere
            call.close()
            self._spoilt = bool(self._lasting.changed())
            raise
        except PolicyError:
            call.close()
            self._spoilt = True
            raise

    def _steps(self, call: Call) -> Iterator[Record]:
        method = getattr(self._policy, call.occasion.name, None)
        if method is None:
            return
        call.begin(method)
        while (given := call.resume()) is not END:
            record = self._described(call, given)
            try:
                yield record
            except PolicyError as error:  # the system refuses the decision
                raise call.fault(error.message) from None
            if type(record) is not Record:  # it has done something
                call.shown.refresh()

    def _described(self, call: Call, given: Any) -> Record:
        """A record with exact fields, the line that it came from, and values that stay as they are."""
        line = Line(self._own_algorithm, call.line) if call.line else None
        line = line if line in self._own_lines else None
        try:
            record = sound(given, self._kind.records, self._real)
            call.answered |= type(record) in call.occasion.answers
            return plain_record(record, self._kind, line, call.shown.view, call.arguments, call.in_file)
        except (BadValueError, NotADecisionError) as error:
            raise call.fault(str(error)) from None

    def _check_what_lasts(self, call: Call) -> None:
        if touched := self._numbers.changed():
            raise call.fault(f"it changes what it is shown: {', '.join(touched)} of the numbers", call.first_line)
        if names := self._lasting.changed():
            raise call.fault(
                f"it changes {', '.join(names[:3])}, which a rewind cannot take back; allowed: "
                "memory = m in the class, view.memory and yield Remember(numbers=...)",
                call.first_line,
            )
