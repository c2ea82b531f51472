"""The arrivals of jobs with phases in a scenario.

Types have the names of their first phases; pools, servers and events of a script are written as
in instance files.
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

#: Largest number of phases; planning is limited by the number of configurations.
MOST_PHASES = 100

#: A script's name for the timer of a server in configuration 0 (Appendix B.3).
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
    """The jobs of a normal server at the start, and their phases."""

    real: dict[JobName, Name] = Field(default_factory=dict)
    virtual: dict[JobName, Name] = Field(default_factory=dict)


class _Event(Section):
    """The fields of every event.

    ``pool`` counts from 1.  ``virtual_choices`` has a number for each virtual arrival that the event
    causes: the position, from 0, of the token that it takes among the tokens of its type, the
    oldest first.
    """

    t: NotNegative
    pool: _Number = 1
    virtual_choices: tuple[_Place, ...] = ()


class ScriptedPhaseArrival(_Event):
    """A real job of a type arrives; it takes the token at ``token_index``, or overflows."""

    kind: Literal["arrival"]
    type: Name
    job: JobName
    token_index: _Place | None = None


class ScriptedMove(_Event):
    """A real or virtual job moves to another phase."""

    kind: Literal["phase"]
    job: JobName
    to: Name


class ScriptedDeparture(_Event):
    """A real or virtual job departs."""

    kind: Literal["departure"]
    job: JobName


class ScriptedTick(_Event):
    """A timer of a server rings: that of a type, or that of the patch."""

    kind: Literal["tick"]
    server: _Number
    type: Name


ScriptedEvent = Annotated[
    ScriptedPhaseArrival | ScriptedMove | ScriptedDeparture | ScriptedTick,
    Field(discriminator="kind"),
    told_by("kind", ScriptedPhaseArrival, ScriptedMove, ScriptedDeparture, ScriptedTick),
]


class ScriptedPhases(Section):
    """A list of events in order of time, with every random choice in them.

    ``initial`` has the normal servers of each pool (those omitted are empty), and
    ``initial_tokens`` the servers, numbered from 1, of the tokens of each type, the oldest first.
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
        """The name and the phase of each job of the start, and of each real job that arrives."""
        for pool in self.initial:
            for server in pool:
                yield from server.real.items()
                yield from server.virtual.items()
        for event in self.events:
            if isinstance(event, ScriptedPhaseArrival):
                yield event.job, event.type

    def phases_named(self) -> Iterator[tuple[str, str]]:
        """The path and the name of every phase that occurs in the script."""
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
        """The path of every reference to a pool or server, its pool, and its server, both from 1.

        The server is 0 if only a pool is named.
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

    Jobs arrive as with ``"poisson"``: type i at ``scale`` times its rate in the trace; their lifetimes are
    exponential with the trace's mean.  ``seconds`` is the length of a unit of time.  Used are
    the ``most_types`` most frequent types, and the first ``limit`` jobs.
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
