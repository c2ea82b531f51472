"""What a room declares of itself: names of modules only, so that reading it imports nothing."""

from __future__ import annotations

from types import MappingProxyType
from typing import Collection, Mapping, NamedTuple, Sequence


class Experiment(NamedTuple):
    """What an experiment is called, and what makes it: a module, or an object MODULE:NAME.

    ``also`` are shorter names that it answers to; ``compares``: whether other policies can run beside its own.
    """

    title: str
    system: str
    paper: str
    module: str
    needs_trace: bool = False
    also: tuple[str, ...] = ()
    compares: bool = False


class CommandSpec(NamedTuple):
    """A command for one kind alone: a module with ``execute(options)``; a module and what makes the parser in it.

    The parser's module is read whenever the command is meant, so it imports nothing heavy.
    """

    module: str
    parser: tuple[str, str]


class PolicySpec(NamedTuple):
    """A policy: its title and source; a module with one class ``Reference``; the module and class of its compiled twin.

    ``kernel`` is None where it has no twin.  The class takes title and source from here.
    """

    title: str
    paper: str
    reference: str
    kernel: tuple[str, str] | None


class Room(NamedTuple):
    """Where the parts of a kind of system are; see :mod:`model.kinds.rooms`."""

    kind: str  #: a module that defines ``KIND``
    schema: tuple[str, str]  #: a module, and the schema in it of scenarios
    #: what reads an instance file, by the key that tells whose it is: a module that defines ``scenarios(data)``, the
    #: plain data of the scenarios in the file
    readers: Mapping[str, str]
    policies: Mapping[str, PolicySpec]  #: policies by name
    experiments: Mapping[str, Experiment]  #: experiments by name
    #: a module that says what can be asked of a run, ``VOCABULARY`` (:class:`model.questions.fields.Vocabulary`)
    questions: str
    whys: str  #: a module that says why policies decide as they do, ``WHYS`` (:class:`model.whys.decision.Whys`)
    #: a module that says what students can be asked of decisions, ``ASKS`` (:class:`model.exercises.deciding.RoomAsks`)
    asks: str
    commands: Mapping[str, CommandSpec] = MappingProxyType({})  #: commands that are for this kind alone, by name
    problems: str = ""  #: a module that solves files of problems which are no scenarios, or nothing
    own_policies: str = ""  #: a module that puts policies of one's own under guard, or nothing: then there are none
    #: a module, and the policy in it whose decisions are answered from outside
    #: (:class:`model.running.answering.Answered`), or nothing
    answered: tuple[str, str] = ("", "")
    #: packages whose modules are now others, for such policies that were written before
    former_packages: Mapping[str, str] = MappingProxyType({})


#: Of each policy the class of its compiled twin in ``kernels/driver.py`` (empty: none), its title and its source.
Policies = Mapping[str, tuple[str, str, str]]
#: Of each experiment what makes it, in ``experiments/``; its title, and the place in the paper.
Experiments = Mapping[str, tuple[str, str, str]]


def declared_room(
    room: str,
    paper: str,
    *,
    schema: str,
    reads: Sequence[str],
    answered: str,
    policies: Policies,
    experiments: Experiments,
    traced: Collection[str] = (),
    compares: Collection[str] = (),
    also: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    commands: Mapping[str, CommandSpec] = MappingProxyType({}),
    problems: str = "",
    former_packages: Mapping[str, str] = MappingProxyType({}),
) -> Room:
    """The package *room* of a *paper*, each part of it in its usual place.

    *reads* are the keys that tell whose an instance file is, *traced* the experiments that need a trace, *compares*
    those beside whose policies others can run, *also* shorter names of some; *problems* is a module of the room.
    """
    system = room.rpartition(".")[2]
    return Room(
        kind=f"{room}.kind",
        schema=(f"{room}.scenario.schema", schema),
        readers=dict.fromkeys(reads, f"{room}.scenario.instance"),
        policies={name: _policy(room, name, *one) for name, one in policies.items()},
        experiments={
            name: Experiment(
                title,
                system,
                f"{paper}, {place}",
                f"{room}.experiments.{module}",
                name in traced,
                also.get(name, ()),
                name in compares,
            )
            for name, (module, title, place) in experiments.items()
        },
        questions=f"{room}.questions",
        whys=f"{room}.whys",
        asks=f"{room}.asks",
        commands=commands,
        problems=problems and f"{room}.{problems}",
        own_policies=f"{room}.own",
        answered=(f"{room}.answered", answered),
        former_packages=former_packages,
    )


def _policy(room: str, name: str, kernel: str, title: str, paper: str) -> PolicySpec:
    """``bf-js`` is in ``policies/bf_js.py``."""
    twin = (f"{room}.kernels.driver", kernel) if kernel else None
    return PolicySpec(title, paper, f"{room}.policies.{name.replace('-', '_')}", twin)
