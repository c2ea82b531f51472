"""Runs a policy that somebody else wrote, so that nothing it does can harm the run.

Whatever goes wrong becomes a :class:`model.errors.PolicyError` of one line: the file, the
line, the event, what was found and why that is impossible.

- The policy is shown a copy of the state and of the numbers, compared after each resumption.
- Each resumption has a limit of time, each event one of sub-steps and one of time.
- Attributes and the file's variables must not change between events.

Memory that grows without end, and code that leaves the process (``os._exit``) or blocks
inside one call of C code, are beyond what can be guarded here.
"""

from __future__ import annotations

from typing import Any, Callable, Generator, Iterator, Mapping

from slotscope.model.errors import PolicyError, PolicyFileError
from slotscope.model.kinds.reservation.decisions import KINDS, NotADecisionError, whole
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.own.call import END, Call
from slotscope.model.kinds.reservation.own.records import BadValueError, plain_record
from slotscope.model.kinds.reservation.own.shown import PrivateNumbers
from slotscope.model.kinds.reservation.policies.base import (
    ArrivingJob,
    Decisions,
    DepartedJob,
    PseudocodeLine,
    ReservationPolicy,
)
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.policies.own.memory import Lasting, TooMuchError
from slotscope.model.records import Admit, Line, Record, Reject

#: Numbers that a policy can remember.
MOST_MEMORY = 1_000_000

#: What a policy of one's own is told when a replay takes another course.
ON_DRIFT = (
    "the policy decided differently when it was asked again; take random numbers from "
    "view.random(name) and no time of day, and keep what must last with Remember"
)

#: Makes a fresh policy: the object, and the variables of its file.
Maker = Callable[[ReservationNumbers], tuple[Any, Mapping[str, Any]]]


class GuardedPolicy(ReservationPolicy):
    """A policy of one's own, as the system meets it.

    Parameters
    ----------
    path:
        The file, as the user named it; also the name in its code objects.
    make:
        Executes the file anew and makes the policy, told its own copy of the numbers.
    pseudocode, own_algorithm:
        What is shown, and the number of the algorithm that the file's own lines are there.
    """

    may_fail = True
    on_drift = ON_DRIFT

    def __init__(
        self,
        path: str,
        numbers: ReservationNumbers,
        make: Maker,
        pseudocode: tuple[PseudocodeLine, ...] = (),
        own_algorithm: int = 1,
    ) -> None:
        self.name = path
        self.pseudocode = pseudocode
        self._own_algorithm = own_algorithm
        self._own_lines = {line.line for line in pseudocode}
        self._real = numbers
        self._make = make
        self._renew()
        policy = self._policy
        self.title = str(getattr(policy, "title", "")) or path
        self.paper = str(getattr(policy, "paper", ""))
        self.reserves_slots = bool(getattr(policy, "reserves_slots", False))
        self.has_groups = bool(getattr(policy, "has_groups", False))
        self.memory = self._count("memory", MOST_MEMORY)
        self.reserved = self._count("reserved", MOST_MEMORY)

    def _renew(self) -> None:
        """A fresh policy, with nothing left of what a failed one has changed."""
        self._numbers = PrivateNumbers(self._real)
        self._policy, self._variables = self._make(self._numbers.copy)
        try:
            self._lasting = Lasting(self._policy, self._variables, (self._numbers.copy, self._real))
        except TooMuchError as error:
            raise PolicyFileError(str(error), where=self.name) from None
        self._spoilt = False

    def _count(self, name: str, most: int) -> int:
        try:
            return whole(getattr(self._policy, name, 0), name, 0, most)
        except NotADecisionError as error:
            raise PolicyFileError(str(error), where=self.name) from None

    def start(self, view: ReservationView) -> Decisions:
        """See :class:`..policies.base.ReservationPolicy`; so for all occasions."""
        return self._occasion("start", view, None)

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """The file's ``arrival``, guarded."""
        return self._occasion("arrival", view, job)

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """The file's ``departure``, guarded."""
        return self._occasion("departure", view, job)

    def update(self, view: ReservationView) -> Decisions:
        """The file's ``update``, guarded."""
        return self._occasion("update", view, None)

    # One event.

    def _occasion(
        self, name: str, view: ReservationView, job: ArrivingJob | DepartedJob | None
    ) -> Generator[Record, None, None]:
        if self._spoilt:
            self._renew()
        call = Call(self.name, name, view, job, self._numbers)
        try:
            yield from self._steps(call)
            if name == "arrival" and not call.decided:
                raise call.fault("it neither admits nor rejects the arriving job", call.first_line)
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
        method = getattr(self._policy, call.occasion, None)
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

    def _described(self, call: Call, given: Any) -> Any:
        """A record with the line that it came from, and with values that stay as they are."""
        if type(given) not in KINDS:
            return given  # the system says what is allowed
        call.decided |= type(given) in (Admit, Reject)
        line = Line(self._own_algorithm, call.line) if call.line else None
        try:
            return plain_record(
                given, line if line in self._own_lines else None, call.shown.view, call.job, call.in_file
            )
        except BadValueError as error:
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
