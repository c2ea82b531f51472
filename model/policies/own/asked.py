"""What is asked of a policy's file, which the process of such policies alone executes; parameters among it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import PrivateAttr, create_model

from slotscope.model.errors import PolicyFileError
from slotscope.model.policies.common import NoParameters
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.host import HOST, Child, LostError
from slotscope.model.policies.own.loaded import Loaded, Source
from slotscope.model.policies.own.loading import too_long
from slotscope.model.policies.own.shape import place_in
from slotscope.model.scenario.fields import Section


def asked_of_file(verb: str, source: Source, *arguments: Any, of: Child | None = None) -> Any:
    """What the process of the policies says of a file; *arguments* come after it.

    Raises UserError: what is wrong, also if the file ends the process.
    """
    try:
        return HOST.ask(verb, source, *arguments, seconds=limits.LIMITS.seconds_to_load, of=of)
    except LostError as lost:
        said = too_long("the file", lost.stopped, lost.grown) if lost.stopped else f"while loading: {lost.said}"
        raise PolicyFileError(said, where=place_in(source.path, lost.line_in(source.path))) from None


class HostedParameters(Section):
    """Parameters of a policy of one's own, which its process validates."""

    _source: ClassVar[Source]
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def model_validate(cls, obj: Any, **_: Any) -> Self:
        """Parameters as plain data, as the file's own schema has made them.

        Raises ValidationFaultError if they are wrong.
        """
        made = cls.model_construct(**asked_of_file("validate", cls._source, obj))
        made._given = obj
        return made


def schema_of(source: Source, loaded: Loaded) -> type[Section]:
    """What stands for the schema of a policy's file."""
    if not loaded.parameters:
        return NoParameters
    fields: dict[str, Any] = {}
    for field in loaded.parameters:
        kind = Any if field.choices is None else bool if field.choices == (False, True) else Literal[field.choices]
        fields[field.name] = (kind, ... if field.required else field.default)
    made = create_model("Parameters", __base__=HostedParameters, **fields)
    made._source = source
    return made
