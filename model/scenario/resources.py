"""Resources of servers, and how much of each a server has or a job needs, in scenarios."""

from __future__ import annotations

from typing import Annotated, Any, Mapping

from pydantic import (
    ConfigDict,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from slotscope.model.scenario.fields import Amount, Name, Quantity, Section

#: What the only resource is called where the capacity is a bare number.
SIZE = "size"


class Resource(Section):
    """A named resource and the unit in which amounts without a unit are meant."""

    name: Name
    unit: str = Field(default="", max_length=20)


_AMOUNT: TypeAdapter[Quantity] = TypeAdapter(Amount, config=ConfigDict(arbitrary_types_allowed=True))


def _capacity(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return handler(value) if isinstance(value, Mapping) else {SIZE: _AMOUNT.validate_python(value)}


def _plain_capacity(capacity: Mapping[str, Quantity]) -> Any:
    amounts = {name: _AMOUNT.dump_python(amount) for name, amount in capacity.items()}
    return amounts[SIZE] if list(amounts) == [SIZE] else amounts


#: One number, or a table with an amount for each resource.
Capacity = Annotated[
    dict[Name, Amount],
    Field(min_length=1),
    WrapValidator(_capacity),
    PlainSerializer(_plain_capacity),
    WithJsonSchema({"type": ["number", "string", "object"]}),
]
