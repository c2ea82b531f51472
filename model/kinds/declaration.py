"""What a room declares of itself: names of modules only, so that reading it imports nothing."""

from __future__ import annotations

from types import MappingProxyType
from typing import Mapping, NamedTuple, Sequence

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Experiment(NamedTuple):
    """What an experiment is called, and what makes it: a module, or an object MODULE:NAME.

    ``also`` are shorter names that it answers to.
    """

    title: str
    system: str
    paper: str
    module: str
    needs_trace: bool = False
    also: tuple[str, ...] = ()


class Room(NamedTuple):
    """Where the parts of a kind of system are; see :mod:`model.kinds.rooms`.

    Attributes
    ----------
    kind:
        A module that defines ``KIND``.
    schema:
        A module, and the schema in it of scenarios.
    readers:
        What reads an instance file, by the key that tells whose it is: a module that defines
        ``scenarios(data)``, the plain data of the scenarios in the file.
    policies:
        Modules by policy name, each with one class ``Reference``.
    experiments:
        Experiments by name.
    commands:
        Commands that are for this kind alone, by name: modules with ``execute(options)``.
    problems:
        A module that solves files of problems which are no scenarios, or nothing.
    own_policies:
        A module that puts policies of one's own under guard, or nothing: then there are none.
    former_packages:
        Packages whose modules are now others, for such policies that were written before.
    """

    kind: str
    schema: tuple[str, str]
    readers: Mapping[str, str]
    policies: Mapping[str, str]
    experiments: Mapping[str, Experiment]
    commands: Mapping[str, str] = _NOTHING
    problems: str = ""
    own_policies: str = ""
    former_packages: Mapping[str, str] = _NOTHING


def policy_modules(room: str, names: Sequence[str]) -> Mapping[str, str]:
    """The module of each policy of *room*: ``bf-js`` is in ``policies/bf_js.py``."""
    return MappingProxyType({name: f"{room}.policies.{name.replace('-', '_')}" for name in names})
