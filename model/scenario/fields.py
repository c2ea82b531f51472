"""Field types shared by scenario schemas: exact numbers, quantities with units, resources, names, alternatives."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Callable, Iterable, Mapping, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    Strict,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from slotscope.model.exact import rational
from slotscope.model.scenario.files import is_policy_file

#: The factors of convertible units, by family.
UNIT_FAMILIES: tuple[dict[str, Fraction], ...] = (
    {name: Fraction(1000) ** power for power, name in enumerate(("B", "kB", "MB", "GB", "TB"))}
    | {name: Fraction(1024) ** power for power, name in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)},
    {"mCPU": Fraction(1, 1000), "CPU": Fraction(1)},
    {"mvCPU": Fraction(1, 1000), "vCPU": Fraction(1)},
    {"Mbit/s": Fraction(1), "Gbit/s": Fraction(1000)},
)

#: The most characters of the path of a policy file.
LONGEST_PATH = 1000

_QUANTITY = re.compile(r"\s*([-+]?[0-9./eE+-]+)\s*(\S.*)?$")
_NAME = re.compile(r"[^\W_][\w .+()/,:=-]*")


class Section(BaseModel):
    """A table of a scenario: immutable, and without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


def refuse_duplicates(where: str, names: Iterable[str]) -> None:
    """Refuse a list in which a name occurs twice."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{where}: found the name '{name}' {count} times, allowed: once")


def refuse_namesakes(names: Iterable[str]) -> None:
    """Refuse jobs with equal names."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"found {count} jobs with the name '{name}', allowed: one")


def refuse_disorder(where: str, key: str, items: Iterable[Any]) -> None:
    """Refuse a list that is not sorted by the time *key* of its items."""
    times = [getattr(item, key) for item in items]
    for position, (first, second) in enumerate(pairwise(times), 1):
        if second < first:
            raise ValueError(
                f"{where} must stand in order of time, found {where}[{position}].{key} = "
                f"{plain(second)} after {plain(first)}"
            )


def _exact(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise ValueError("a number, or text such as '3/5'")
    try:
        return rational(value)
    except (ValueError, OverflowError):
        raise ValueError("a finite number, or text such as '3/5'") from None


def plain(value: Fraction) -> int | float | str:
    """The shortest exact TOML value of a rational: an integer, a decimal, or ``"3/5"``."""
    if value.denominator == 1:
        return int(value)
    as_float = float(value)
    return as_float if rational(as_float) == value else str(value)


def _not_negative(value: Fraction) -> Fraction:
    if value < 0:
        raise ValueError("a number of at least 0")
    return value


def _positive(value: Fraction) -> Fraction:
    if value <= 0:
        raise ValueError("a number above 0")
    return value


def _policy_name(value: Any) -> str:
    if isinstance(value, str) and is_policy_file(value):
        if len(value) > LONGEST_PATH or not value.isprintable():
            raise ValueError(f"a path of at most {LONGEST_PATH} printable characters")
        return value
    return _name(value)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or len(value) > 60:
        raise ValueError("a name of 1 to 60 letters, digits, spaces or .+()/,:=- that starts with a letter or digit")
    return value


def _listed(value: Any) -> Any:
    """Text such as "2, 1/2" as the list that it represents."""
    if not isinstance(value, str):
        return value
    return [item.strip() for item in value.split(",") if item.strip()]


_NUMBER_OR_TEXT = WithJsonSchema({"type": ["number", "string"]})

Exact = Annotated[
    Fraction, BeforeValidator(_exact), PlainSerializer(plain, return_type=int | float | str), _NUMBER_OR_TEXT
]
NotNegative = Annotated[Exact, AfterValidator(_not_negative)]
Positive = Annotated[Exact, AfterValidator(_positive)]
Numbers = Annotated[tuple[NotNegative, ...], BeforeValidator(_listed)]
Whole = Annotated[int, Strict()]
Name = Annotated[str, BeforeValidator(_name)]
PolicyName = Annotated[str, BeforeValidator(_policy_name)]


class Quantity(tuple[Fraction, str]):
    """An amount with the unit written after it (empty if none)."""

    __slots__ = ()

    @property
    def amount(self) -> Fraction:
        """The number as written."""
        return self[0]

    @property
    def unit(self) -> str:
        """The unit as written, or an empty string."""
        return self[1]

    def in_unit(self, unit: str) -> Fraction:
        """The amount in *unit*. Raises ValueError if the written unit is neither *unit* nor of the same family."""
        if not self.unit or self.unit == unit:
            return self.amount
        for family in UNIT_FAMILIES:
            if self.unit in family and unit in family:
                return self.amount * family[self.unit] / family[unit]
        family = next((family for family in UNIT_FAMILIES if unit in family), {unit: Fraction(1)})
        allowed = (
            ", ".join(family) if unit else "no unit, because the resource declares none; [[resources]] declares one"
        )
        raise ValueError(f"the unit '{self.unit}' does not fit; allowed: {allowed}")


def _quantity(value: Any) -> Quantity:
    if isinstance(value, Quantity):
        return value
    if not isinstance(value, str):
        return Quantity((_not_negative(_exact(value)), ""))
    match = _QUANTITY.match(value)
    if match is None:
        raise ValueError("a number of at least 0, with its unit if it has one, such as '16 GB'")
    return Quantity((_not_negative(_exact(match[1])), (match[2] or "").strip()))


def _plain_quantity(value: Quantity) -> int | float | str:
    number = plain(value.amount)
    return f"{number} {value.unit}" if value.unit else number


Amount = Annotated[
    Quantity,
    BeforeValidator(_quantity),
    PlainSerializer(_plain_quantity, return_type=int | float | str),
    _NUMBER_OR_TEXT,
]


def told_by(key: str, *schemas: type[BaseModel]) -> WrapValidator:
    """A validator for a field that holds one of *schemas*, each with a literal *key*.

    It follows ``Field(discriminator=key)``, which reports a missing or unknown key; a table with a known
    key is validated by its own schema, so that the path in an error is as the user wrote it.
    """
    known = {tag: schema for schema in schemas for tag in get_args(schema.model_fields[key].annotation)}

    def validate(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        schema = known.get(_tag(value, key)) if isinstance(value, Mapping) else None
        return handler(value) if schema is None else schema.model_validate(value)

    return WrapValidator(validate)


def _tag(value: Mapping[str, Any], key: str) -> str:
    tag = value.get(key)
    return tag if isinstance(tag, str) else ""


def one_or_list(schema: type[BaseModel]) -> WrapValidator:
    """A validator for a tuple of *schema* that may also be written as a single table."""

    def validate(value: Any, handler: Callable[[Any], Any]) -> Any:
        return (schema.model_validate(value),) if isinstance(value, Mapping) else handler(value)

    return WrapValidator(validate)


def one_or_table(one: Any, table: Any) -> WrapValidator:
    """A validator for a field that has the type *table* if it is written as a table, and the type *one*
    otherwise; it annotates the union of both."""
    by_itself: TypeAdapter[Any] = TypeAdapter(one)
    by_key: TypeAdapter[Any] = TypeAdapter(table)

    def validate(value: Any, _: ValidatorFunctionWrapHandler) -> Any:
        return (by_key if isinstance(value, Mapping) else by_itself).validate_python(value)

    return WrapValidator(validate)


#: The name of the only resource if the capacity is a single number.
SIZE = "size"


class Resource(Section):
    """A named resource, and the unit of amounts that are given without unit."""

    name: Name
    unit: str = Field(default="", max_length=20)


_AMOUNT: TypeAdapter[Quantity] = TypeAdapter(Amount, config=ConfigDict(arbitrary_types_allowed=True))


def _capacity(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return handler(value) if isinstance(value, Mapping) else {SIZE: _AMOUNT.validate_python(value)}


def _plain_capacity(capacity: Mapping[str, Quantity]) -> Any:
    amounts = {name: _AMOUNT.dump_python(amount) for name, amount in capacity.items()}
    return amounts[SIZE] if list(amounts) == [SIZE] else amounts


#: A single number, or a table with an amount for each resource.
Capacity = Annotated[
    dict[Name, Amount],
    Field(min_length=1),
    WrapValidator(_capacity),
    PlainSerializer(_plain_capacity),
    WithJsonSchema({"type": ["number", "string", "object"]}),
]
