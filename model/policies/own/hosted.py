"""The program's side of a user policy, which runs in another process, so that nothing it does can corrupt a run.

Only that process executes the policy's file, also to validate parameters.
"""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any, ClassVar, Generator, Literal, NamedTuple, NoReturn, Self, cast
from weakref import finalize

from pydantic import PrivateAttr, create_model

from slotscope.model.errors import PolicyError, PolicyFileError
from slotscope.model.policies.common import NoParameters
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.faults import fault_or_stop, moment_of, stopped
from slotscope.model.policies.own.host import HOST, Child, LostError
from slotscope.model.policies.own.kind import Occasion
from slotscope.model.policies.own.loaded import Loaded, Source
from slotscope.model.policies.own.loading import too_long
from slotscope.model.policies.own.mirror import NOTHING, Changes, Mirror
from slotscope.model.policies.own.policy import OwnPolicy
from slotscope.model.policies.own.shape import place_in
from slotscope.model.policies.own.wire import Batch, error_of, told_of, unpacked
from slotscope.model.reporting.records import Record
from slotscope.model.scenario.fields import Section
from slotscope.model.systems.base import EVENT
from slotscope.model.systems.view import PolicyView


def asked_of_file(verb: str, source: Source, *arguments: Any, of: Child | None = None) -> Any:
    """The answer of the policy process to a request about a file; *arguments* follow the file.

    Raises UserError if there is a fault, also if the file ends the process.
    """
    try:
        return HOST.ask(verb, source, *arguments, seconds=limits.LIMITS.seconds_to_load, of=of)
    except LostError as lost:
        said = too_long("the file", lost.stopped, lost.grown) if lost.stopped else f"while loading: {lost.said}"
        raise PolicyFileError(said, where=place_in(source.path, lost.line_in(source.path))) from None


class HostedParameters(Section):
    """Parameters of a user policy, validated in its process."""

    _source: ClassVar[Source]
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def model_validate(cls, obj: Any, **_: Any) -> Self:
        """Parameters as plain data, as the file's own schema parses them.

        Raises ValidationFaultError if they are invalid.
        """
        made = cls.model_construct(**asked_of_file("validate", cls._source, obj))
        made._given = obj
        return made


def schema_of(source: Source, loaded: Loaded) -> type[Section]:
    """The stand-in for the schema of a policy file."""
    if not loaded.parameters:
        return NoParameters
    fields: dict[str, Any] = {}
    for field in loaded.parameters:
        kind = Any if field.choices is None else bool if field.choices == (False, True) else Literal[field.choices]
        fields[field.name] = (kind, ... if field.required else field.default)
    made = create_model("Parameters", __base__=HostedParameters, **fields)
    made._source = source
    return made


#: The longest time, in seconds, for which the records that a policy yields are held back.
LONGEST_BATCH = 0.1

_numbers = count()


class _Stage(NamedTuple):
    """A slot in a process where a policy is shown one event after the other, so that only differences are sent."""

    number: int
    child: Child
    mirror: Mirror
    known: dict[str, Any]


@cache
def hosted(base: Any) -> Any:
    """The class of hosted policies for a kind of system, derived from the kind's *base*."""
    return type("HostedPolicy", (HostedPolicy, base), {})


class HostedPolicy(OwnPolicy):
    """A user policy, hosted in the policy process.

    - *source*, *loaded*: See :class:`.policy.OwnPolicy`.
    - *numbers*, *parameters*: What it is made for.

    Raises PolicyFileError if it cannot be made.
    """

    def __init__(self, source: Source, loaded: Loaded, numbers: Any, parameters: Any) -> None:
        super().__init__(source, loaded)
        self.parameters = parameters
        self.number = next(_numbers)
        self.batch_seconds = LONGEST_BATCH
        self.renewed = False  # whether its file may need to be executed anew before the next event
        self.source, self._real = source, numbers
        self._stages: list[_Stage] = []
        self._stage_numbers = count()
        self._child: Child | None = None
        self._end: tuple[int, LostError] | None = None
        finalize(self, HOST.drop, self.number).atexit = False
        with HOST.lock:
            self.made(self._made_in(HOST.child))

    def note_end(self, event: int, lost: LostError) -> None:
        """Note that the process ended in the event after *event* events; if it hung, the event is not tried again."""
        self._end = (event, lost) if lost.stopped else None

    def left_in(self, event: int, lost: LostError) -> PolicyFileError:
        """The error for a policy that the user stopped in the event after *event* events."""
        said = stopped(lost.stopped, lost.asked, True, lost.grown)
        return fault_or_stop(lost.asked)(
            f"at event {event + 1}: {said}", where=place_in(self.name, lost.line_in(self.name))
        )

    def ends_at(self, state: Any) -> LostError | None:
        """How the process ended in the event that follows *state*, if that is known."""
        return self._end[1] if self._end is not None and self._end[0] == int(state.number[EVENT]) else None

    def stand_in(self, child: Child) -> None:
        """Make the policy in the process *child*, unless it has been made there."""
        if child is not self._child:
            self._made_in(child)

    def _made_in(self, child: Child) -> dict[str, Any]:
        """Make the policy in a process that does not have it; return the attributes that the program needs."""
        given = getattr(self.parameters, "_given", {})
        attributes: dict[str, Any] = asked_of_file("make", self.source, self.number, self._real, given, of=child)
        self._child = child
        self._stages.clear()
        return attributes

    def stage(self) -> _Stage:
        """A free stage for the next event, in a process that has the policy."""
        with HOST.lock:
            child = HOST.child
            self.stand_in(child)
            return self._stages.pop() if self._stages else _Stage(next(self._stage_numbers), child, Mirror(), {})

    def called(self, occasion: Occasion, view: PolicyView, *arguments: Any) -> Generator[Record, None, None]:
        """See :class:`.policy.OwnPolicy`; each request to the process covers all records up to the next decision."""
        event = _HostedEvent(self, occasion, view, arguments)
        if (known := self.ends_at(view._state)) is not None:
            self._end = None  # it may be tried again next time
            raise event.lost(known)
        try:
            over = False
            while not over:
                batch = event.batch()
                for record in map(unpacked, batch.records):
                    try:
                        yield record
                    except PolicyError as error:  # the system refuses the decision
                        event.refuse(error.message)
                if batch.fault is not None:
                    raise error_of(batch.fault)
                over = batch.over
        except BaseException:
            HOST.drop(self.number, event.stage.number)  # also if the event was abandoned halfway, e.g. by a rewind
            self.renewed = True
            raise
        self._stages.append(event.stage)


class _HostedEvent:
    """One call of a policy on one occasion, made through its process."""

    def __init__(self, policy: HostedPolicy, occasion: Occasion, view: PolicyView, arguments: tuple[Any, ...]) -> None:
        self._policy, self._occasion, self._view, self._arguments = policy, occasion, view, arguments
        self._line = policy.first_lines.get(occasion.name, 0)
        self._records = 0
        self._changes: dict[int, Changes] = {}  # of the state, by the number of records received before
        self.stage = policy.stage()

    def batch(self) -> Batch:
        """The records up to the next decision. Raises PolicyFileError if the process ends meanwhile."""
        with HOST.lock:
            self._follow()
            changes = self.stage.mirror.changes(self._view._state)
            self._changes[self._records] = changes if self._changes else self.stage.mirror.whole
            batch = self._next(changes, self._policy.batch_seconds, begins=not self._records)
        self._records += len(batch.records)
        self._line = batch.line
        return batch

    def _next(self, changes: Changes, seconds: float, begins: bool) -> Batch:
        if not begins:
            return cast("Batch", self._asked("go_on", seconds, changes))
        if self._policy.renewed:
            self._policy.renewed = False
            self._asked("renew")
        part = told_of(self._view, self.stage.known)
        return cast("Batch", self._asked("begin", seconds, changes, self._occasion.name, part, self._arguments))

    def _follow(self) -> None:
        """If the process has ended because of another policy, replay the event so far in a fresh process."""
        if not self._changes or self.stage.child.runs:
            return
        self.stage = self._policy.stage()._replace(mirror=self.stage.mirror)
        for record in range(self._records):
            self._next(self._changes.get(record, NOTHING), 0.0, begins=not record)

    def refuse(self, why: str) -> NoReturn:
        """Raise the error for an impossible decision, with its line in the file."""
        self._follow()
        self._asked("refuse", why)
        raise AssertionError("a refusal is a fault")

    def _asked(self, verb: str, *arguments: Any) -> Any:
        load = verb == "renew"
        seconds = limits.LIMITS.seconds_to_load if load else limits.LIMITS.seconds + LONGEST_BATCH
        try:
            return HOST.ask(
                verb, self._policy.number, self.stage.number, *arguments, seconds=seconds, of=self.stage.child
            )
        except LostError as lost:
            raise self.lost(lost) from None

    def lost(self, lost: LostError) -> PolicyFileError:
        """The error for a call during which the process has ended."""
        self._policy.batch_seconds = 0.0  # so that one can step up to that point
        path = self._policy.name
        said = stopped(lost.stopped, lost.asked, True, lost.grown) if lost.stopped else lost.said
        moment = moment_of(self._policy.kind, self._occasion.name, self._view, self._arguments)
        return fault_or_stop(lost.asked)(f"{moment}: {said}", where=place_in(path, lost.line_in(path) or self._line))
