"""How jobs with phases arrive, as a scenario says it.

Types are named by their first phase; pools, servers and events of a script are told as
instance files tell them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, Iterator, Literal, Self

from pydantic import Field, model_validator

from slotscope.model.scenario.fields import (
    Name,
    NotNegative,
    Positive,
    Section,
    Whole,
    refuse_disorder,
    refuse_namesakes,
    told_by,
)

#: Bound on phases; what can be planned is bounded by the number of configurations.
MOST_PHASES = 100

#: What a script calls the timer of a server that rests at 0 (Appendix B.3).
PATCH = "patch"

#: The name of a job in a script.
JobName = Annotated[str, Field(min_length=1, max_length=60)]

_Number = Annotated[Whole, Field(ge=1)]
_Place = Annotated[Whole, Field(ge=0)]


class PhasePoisson(Section):
    """Independent Poisson arrivals: type i at rate Lambda_i = lambda_i r.

    ``scale`` is the scaling factor r (Hong, Xie & Wang (2023), Section 2).
    """

    kind: Literal["poisson"] = "poisson"
    scale: Positive = Fraction(100)


class ScriptedServer(Section):
    """What a normal server holds at the start: jobs and the phase of each."""

    real: dict[JobName, Name] = Field(default_factory=dict)
    virtual: dict[JobName, Name] = Field(default_factory=dict)


class _Event(Section):
    """What every event has.

    ``pool`` is a number from 1.  ``virtual_choices`` has one place for each virtual arrival that
    the event causes: that of the token which it takes among the tokens of its type, from 0, the
    oldest first.
    """

    t: NotNegative
    pool: _Number = 1
    virtual_choices: tuple[_Place, ...] = ()


class ScriptedPhaseArrival(_Event):
    """A real job of a type comes; it takes the token at ``token_index``, or overflows."""

    kind: Literal["arrival"]
    type: Name
    job: JobName
    token_index: _Place | None = None


class ScriptedMove(_Event):
    """A real or virtual job goes into another phase."""

    kind: Literal["phase"]
    job: JobName
    to: Name


class ScriptedDeparture(_Event):
    """A real or virtual job leaves."""

    kind: Literal["departure"]
    job: JobName


class ScriptedTick(_Event):
    """A timer of a server rings: that of a type, or the patch."""

    kind: Literal["tick"]
    server: _Number
    type: Name


ScriptedEvent = Annotated[
    ScriptedPhaseArrival | ScriptedMove | ScriptedDeparture | ScriptedTick,
    Field(discriminator="kind"),
    told_by("kind", ScriptedPhaseArrival, ScriptedMove, ScriptedDeparture, ScriptedTick),
]


class ScriptedPhases(Section):
    """Explicit events, in order, with every random choice in them.

    ``initial`` has, for each pool, its normal servers (those that are left out are empty), and
    ``initial_tokens`` the servers of each type's tokens, numbered from 1, the oldest first.
    """

    kind: Literal["scripted"]
    initial: tuple[tuple[ScriptedServer, ...], ...] = ()
    initial_tokens: tuple[dict[Name, tuple[_Number, ...]], ...] = ()
    events: tuple[ScriptedEvent, ...] = ()

    @model_validator(mode="after")
    def _in_order_of_time(self) -> Self:
        refuse_disorder("events", "t", self.events)
        return self

    @model_validator(mode="after")
    def _names_of_jobs(self) -> Self:
        refuse_namesakes(name for name, _ in self._new_jobs())
        return self

    def _new_jobs(self) -> Iterator[tuple[str, str]]:
        """Name and phase of the jobs of the start and of the real ones that come."""
        for pool in self.initial:
            for server in pool:
                yield from server.real.items()
                yield from server.virtual.items()
        for event in self.events:
            if isinstance(event, ScriptedPhaseArrival):
                yield event.job, event.type

    def phases_named(self) -> Iterator[tuple[str, str]]:
        """The path and the name of every phase that the script names."""
        for pool, servers in enumerate(self.initial):
            for place, server in enumerate(servers):
                for key, jobs in (("real", server.real), ("virtual", server.virtual)):
                    for job, phase in jobs.items():
                        yield f"initial[{pool}][{place}].{key}.{job}", phase
        for pool, tokens in enumerate(self.initial_tokens):
            for phase in tokens:
                yield f"initial_tokens[{pool}]", phase
        for position, event in enumerate(self.events):
            if isinstance(event, ScriptedMove):
                yield f"events[{position}].to", event.to
            if isinstance(event, ScriptedPhaseArrival):
                yield f"events[{position}].type", event.type
            if isinstance(event, ScriptedTick) and event.type != PATCH:
                yield f"events[{position}].type", event.type

    def places_named(self) -> Iterator[tuple[str, int, int]]:
        """The path of every place that the script names, its pool from 1, and its server from 1.

        Where only a pool is named the server is 0.
        """
        for pool, servers in enumerate(self.initial, 1):
            yield f"initial[{pool - 1}]", pool, len(servers)
        for pool, tokens in enumerate(self.initial_tokens, 1):
            for name, owners in tokens.items():
                yield f"initial_tokens[{pool - 1}].{name}", pool, max(owners, default=0)
        for position, event in enumerate(self.events):
            yield f"events[{position}].pool", event.pool, 0
            if isinstance(event, ScriptedTick):
                yield f"events[{position}].server", event.pool, event.server


class TracePhases(Section):
    """Types of fixed size whose rates are estimated from a recorded trace.

    Jobs then arrive as under ``"poisson"``: type i at ``scale`` times the rate at which the trace
    has it, and stay for an exponential time with the trace's mean.  ``seconds`` are in one unit of
    time.  Of the types the most frequent ``most_types`` are kept, of the jobs the first ``limit``.
    """

    recorded: ClassVar[bool] = False
    kind: Literal["trace"]
    format: Literal["azure-flavours", "alibaba-pods", "jobs"] = "azure-flavours"
    paths: tuple[str, ...] = ()
    scale: Positive = Fraction(1)
    seconds: Positive = Fraction(3600)
    most_types: Whole = Field(default=6, ge=1, le=MOST_PHASES)
    limit: Whole = Field(default=1_000_000, ge=1)


PhaseWorkload = Annotated[
    PhasePoisson | ScriptedPhases | TracePhases,
    Field(discriminator="kind"),
    told_by("kind", PhasePoisson, ScriptedPhases, TracePhases),
]
