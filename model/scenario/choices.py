"""One of several tables, told apart by a key; faults name the field alone, not the table's kind."""

from __future__ import annotations

from typing import Any, Callable, Mapping, get_args

from pydantic import BaseModel, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator


def told_by(key: str, *schemas: type[BaseModel]) -> WrapValidator:
    """A validator for a field that holds one of *schemas*, each with a literal *key*.

    Put it after ``Field(discriminator=key)``, which still speaks where the key is missing or
    unknown; a known table is validated by its own schema, so that the path of a fault is what
    the user wrote.
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
    """A validator for a tuple of *schema* that may be written as a single table."""

    def validate(value: Any, handler: Callable[[Any], Any]) -> Any:
        return (schema.model_validate(value),) if isinstance(value, Mapping) else handler(value)

    return WrapValidator(validate)


def one_or_table(one: Any, table: Any) -> WrapValidator:
    """A validator for a field that is of the type *table* where it is written as a table, and else
    of the type *one*; it stands behind the union of both."""
    by_itself: TypeAdapter[Any] = TypeAdapter(one)
    by_key: TypeAdapter[Any] = TypeAdapter(table)

    def validate(value: Any, _: ValidatorFunctionWrapHandler) -> Any:
        return (by_key if isinstance(value, Mapping) else by_itself).validate_python(value)

    return WrapValidator(validate)
