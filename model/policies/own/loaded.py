"""A loaded policy file in the policy process, and the part of it that is sent to the program."""

from __future__ import annotations

from functools import cached_property, lru_cache
from inspect import getattr_static
from pathlib import Path
from typing import Any, Literal, Mapping, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from slotscope.model.errors import PolicyFileError, UserError
from slotscope.model.policies.common import NoParameters, PseudocodeLine
from slotscope.model.policies.own.faults import line_in, said_by
from slotscope.model.policies.own.guard import GuardedPolicy, Made
from slotscope.model.policies.own.kind import OwnKind, kind_of
from slotscope.model.policies.own.loading import executed, loaded, own_lines
from slotscope.model.policies.own.shape import (
    kernel_function,
    line_of,
    place_in,
    policy_class,
    system_of,
    takes_nothing,
)
from slotscope.model.policies.own.watch import watched
from slotscope.model.reporting.records import Line
from slotscope.model.scenario.validation import validated


class Source(NamedTuple):
    """A policy's file as it was read."""

    path: str
    text: str
    package: str  #: the package that the file belongs to, for imports; "" for a file of the user
    system: str  #: the kind of system that the policy is for, if its class names none
    beside: tuple[tuple[str, str], ...] = ()  #: modules in its folder that it imports: (file, digest) of each


class ParameterField(NamedTuple):
    """A parameter of a policy."""

    name: str
    choices: tuple[Any, ...] | None  #: the allowed values, False and True for a bool; None: any value
    required: bool
    default: Any  #: as plain data


class Loaded(NamedTuple):
    """What a file declares about its policy."""

    #: title, paper: the title that the window shows; the source that the file cites, if any
    title: str
    paper: str
    system: str  #: the kind of system that it is for
    #: pseudocode, own_algorithm: the lines to show, and the algorithm number of the file's own lines among them
    pseudocode: tuple[PseudocodeLine, ...]
    own_algorithm: int
    parameters: tuple[ParameterField, ...]  #: the fields of its schema
    #: first lines of its methods, without inherited ones that do nothing: the program has these, too
    first_lines: Mapping[str, int]
    kernel_line: int  #: the first line of its kernel; 0 if it has none


class PolicyClass:
    """The class of a policy file that was executed and has the right shape."""

    def __init__(self, source: Source) -> None:
        self._source = source
        module = executed(source.path, source.text, source.package)
        self._system = system_of(module, source.system)
        self._cls = policy_class(source.path, module, self._kind)

    @classmethod
    def of(cls, source: Source) -> PolicyClass:
        """The class in a file; the same object while the source is unchanged."""
        return _known(source)

    @property
    def _kind(self) -> OwnKind:
        return kind_of(self._system)

    @cached_property
    def loaded(self) -> Loaded:
        """What is sent to the program."""
        function = kernel_function(self._cls)
        return Loaded(
            self._title or Path(self._source.path).stem,
            str(getattr(self._cls, "paper", "") or ""),
            self._system,
            *self._shown,
            tuple(_field(self._schema, name) for name in self._schema.model_fields),
            {name: line_of(getattr(self._cls, name, None)) for name in self._own_occasions},
            function.__code__.co_firstlineno if function is not None else 0,
        )

    @property
    def _title(self) -> str:
        """The policy's own title, not one inherited from a built-in policy; "" if it has none."""
        given = (vars(cls)["title"] for cls in self._cls.__mro__ if "title" in vars(cls) and not vars(cls).get("name"))
        title = next(given, "")
        return title if isinstance(title, str) else ""

    @property
    def _own_occasions(self) -> list[str]:
        """The names of the occasions for which the file must be called, without inherited methods that do nothing."""
        found = []
        for occasion in self._kind.occasions:
            usual = getattr_static(self._kind.base, occasion.name, None)
            same = usual is not None and getattr_static(self._cls, occasion.name, None) is usual
            if not same or usual.__code__.co_names:  # a method that does something calls something
                found.append(occasion.name)
        return found

    @property
    def _schema(self) -> type[BaseModel]:
        schema: type[BaseModel] = getattr(self._cls, "schema", None) or NoParameters
        return schema

    @cached_property
    def _shown(self) -> tuple[tuple[PseudocodeLine, ...], int]:
        given = tuple(getattr(self._cls, "pseudocode", ()) or ())
        number = max((line.line.algorithm for line in given), default=0) + 1
        if given and "pseudocode" in vars(self._cls):
            return given, number
        lines = own_lines(self._source.text, self._cls.__name__)
        own = (PseudocodeLine(Line(number, n), i, text, "Your file") for n, i, text in lines)
        return (*given, *own), number

    def validated(self, given: dict[str, Any]) -> BaseModel:
        """The parameters, parsed by the file's schema.

        Raises ValidationFaultError if they are invalid; PolicyFileError if the schema itself fails.
        """
        try:
            return watched(lambda: validated(self._schema, given))
        except UserError:
            raise
        except BaseException as error:
            path = self._source.path
            raise PolicyFileError(
                f"the schema fails: {said_by(error)}", where=place_in(path, line_in(error, path))
            ) from None

    def made(self, numbers: Any, given: dict[str, Any]) -> GuardedPolicy:
        """Make the policy for a scenario; the file is executed anew.

        Raises PolicyFileError if its ``__init__`` fails.
        """
        path = self._source.path

        def make(private: Any, wanted: tuple[str, ...]) -> Made:
            module = executed(path, self._source.text, self._source.package)
            cls: Any = policy_class(path, module, self._kind)
            schema = getattr(cls, "schema", None) or NoParameters
            own: Any = self._kind.own
            usual = (private, validated(schema, given))
            arguments = () if takes_nothing(cls) else usual

            def made() -> Made:
                policy = cls.__new__(cls)
                if isinstance(policy, own):  # the file's own __init__ need not call this one
                    own.__init__(policy, *usual)
                cls.__init__(policy, *arguments)
                lacking = policy if isinstance(policy, self._kind.base) else own(*usual)
                return Made(policy, vars(module), _attributes(lacking, wanted) | _attributes(policy, wanted))

            result: Made = loaded(path, made, cls.__name__)
            return result

        pseudocode, number = self._shown
        return GuardedPolicy(self._kind, path, numbers, make, pseudocode, number)


@lru_cache(maxsize=64)
def _known(source: Source) -> PolicyClass:
    return PolicyClass(source)


def _attributes(policy: Any, wanted: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in wanted if hasattr(policy, name)}


def _field(schema: type[BaseModel], name: str) -> ParameterField:
    field = schema.model_fields[name]
    choices = (False, True) if field.annotation is bool else None
    if get_origin(field.annotation) is Literal:
        choices = get_args(field.annotation)
    if field.is_required() or field.default is None:
        return ParameterField(name, choices, field.is_required(), None)
    default = schema.model_construct(**{name: field.default}).model_dump(mode="json", include={name})[name]
    return ParameterField(name, choices, False, default)
