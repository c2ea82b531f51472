"""The declaration of a kind of system: only names of modules, so that reading it imports nothing."""

from __future__ import annotations

from types import MappingProxyType
from typing import Collection, Mapping, NamedTuple, Sequence


class Experiment(NamedTuple):
    """The declaration of an experiment: its title, and the module, or object MODULE:NAME, that makes it.

    ``also`` are shorter names for it; ``compares``: whether other policies can run beside its own.
    """

    title: str
    system: str
    paper: str
    module: str
    needs_trace: bool = False
    also: tuple[str, ...] = ()
    compares: bool = False


class CommandSpec(NamedTuple):
    """A command for a single kind: a module with ``execute(options)``, and (module, function) of its parser.

    The parser's module is imported whenever the command is used, so it must not import anything heavy.
    """

    module: str
    parser: tuple[str, str]


class PolicySpec(NamedTuple):
    """A policy: its title and source, the module of its class ``Reference``, and (module, class) of its compiled twin.

    ``kernel`` is None if it has no twin.  The class ``Reference`` takes its title and source from here.
    """

    title: str
    paper: str
    reference: str
    kernel: tuple[str, str] | None


class Room(NamedTuple):
    """The places of the parts of a kind of system; see :mod:`model.kinds.rooms`."""

    kind: str  #: a module that defines ``KIND``
    schema: tuple[str, str]  #: (module, class) of the schema of its scenarios
    #: the modules that read instance files, by the key that identifies the kind; each defines ``scenarios(data)``, the
    #: plain data of the scenarios in the file
    readers: Mapping[str, str]
    policies: Mapping[str, PolicySpec]  #: policies by name
    experiments: Mapping[str, Experiment]  #: experiments by name
    #: a module that declares what questions can refer to, ``VOCABULARY`` (:class:`model.questions.fields.Vocabulary`)
    questions: str
    whys: str  #: a module that explains the policies' decisions, ``WHYS`` (:class:`model.whys.decision.Whys`)
    #: a module that makes exercises about decisions, ``ASKS`` (:class:`model.exercises.deciding.RoomAsks`)
    asks: str
    commands: Mapping[str, CommandSpec] = MappingProxyType({})  #: commands for this kind only, by name
    problems: str = ""  #: a module that solves files of problems that are not scenarios; empty: none
    own_policies: str = ""  #: a module that declares how user policies are guarded; empty: none are supported
    #: (module, class) of the policy whose decisions come from outside (:class:`model.running.answering.Answered`);
    #: empty: none
    answered: tuple[str, str] = ("", "")
    #: from former packages of modules to the present ones, for user policies written before the change
    former_packages: Mapping[str, str] = MappingProxyType({})


#: For each policy: the class of its compiled twin in ``kernels/driver.py`` (empty: none), its title and its source.
Policies = Mapping[str, tuple[str, str, str]]
#: For each experiment: its module in ``experiments/``, its title, and the place in the paper.
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
    """The declaration of the package *room* for a *paper*, with each part in its usual place.

    *reads* are the keys that identify its instance files, *traced* the experiments that need a trace, *compares* those
    beside whose policies others can run, *also* shorter names of experiments; *problems* is a module of the package.
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
    """The declaration of a policy; that of ``bf-js``, for example, is in ``policies/bf_js.py``."""
    twin = (f"{room}.kernels.driver", kernel) if kernel else None
    return PolicySpec(title, paper, f"{room}.policies.{name.replace('-', '_')}", twin)
