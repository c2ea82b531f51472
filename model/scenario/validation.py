"""Validation errors in the user's terms: the field's path, what was found, what is allowed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Mapping, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from slotscope.model.errors import LONGEST_QUOTED, ScenarioError, quoted

Schema = TypeVar("Schema", bound=BaseModel)

_TABLE = "a table"
_ALLOWED = {
    "missing": "this field is required",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": _TABLE,
    "model_type": _TABLE,
    "model_attributes_type": _TABLE,
    "tuple_type": "a list",
    "list_type": "a list",
    "sequence_str": "a list",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "too_long": "a list of at most {max_length}",
    "too_short": "a list of at least {min_length}",
    "string_too_long": "at most {max_length} characters",
    "union_tag_invalid": "{expected_tags}",
    "union_tag_not_found": "a table with the key {discriminator}",
}


class Problem(NamedTuple):
    """One fault: the path of the field, and the sentence about it."""

    where: str
    message: str


class ValidationFaultError(ScenarioError):
    """A :class:`ScenarioError` that lists every faulty field, for forms."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.message + more, where=first.where)

    def inside(self, where: str) -> ValidationFaultError:
        """The same faults, each with *where*, such as a file's name, in front."""
        return ValidationFaultError(
            tuple(Problem(": ".join(filter(None, (where, one.where))), one.message) for one in self.problems)
        )


def validated(schema: type[Schema], data: Mapping[str, Any]) -> Schema:
    """*data* as an instance of *schema*.

    Raises ValidationFaultError, which lists each faulty field; its message is about the first.
    """
    try:
        return schema.model_validate(dict(data))
    except ValidationError as error:
        known = _known_keys(schema)
        all_found = error.errors(include_url=False)
        details = (detail for detail in all_found if not _follows(detail, all_found))
        raise ValidationFaultError(tuple(_problem(detail, known) for detail in details)) from None
    except RecursionError:
        raise ValidationFaultError((Problem("", "the tables are nested too deeply"),)) from None


def _follows(detail: ErrorDetails, others: list[ErrorDetails]) -> bool:
    """Whether an error follows from others: a default depends on a faulty field, a list lacks its faulty entries."""
    where = detail["loc"]
    inside = (other["loc"] for other in others if len(other["loc"]) > len(where))
    too_short = detail["type"] == "too_short" and any(place[: len(where)] == where for place in inside)
    return too_short or detail["type"] == "default_factory_not_called"


def _problem(detail: ErrorDetails, known: _Keys) -> Problem:
    where = _path(detail["loc"])
    kind = detail["type"]
    if kind == "extra_forbidden":
        return Problem(where, _unknown(detail["loc"], known))
    if kind == "missing":
        return Problem(where, "found nothing, allowed: this field is required")
    if kind in {"value_error", "assertion_error"}:
        return _from_validator(where, detail)
    allowed = allowed_instead(detail)
    if allowed == _TABLE and (keys := known.get(_table(where))):
        allowed = f"{allowed} with {', '.join(keys)}"
    return Problem(where, f"found {shown(detail['input'])}, allowed: {allowed}")


def allowed_instead(detail: ErrorDetails) -> str:
    """The values that would be allowed, as a clause."""
    return _ALLOWED.get(detail["type"], detail["msg"]).format(**detail.get("ctx", {}))


def _from_validator(where: str, detail: ErrorDetails) -> Problem:
    text = str(detail["ctx"]["error"]) if "ctx" in detail else detail["msg"]
    inner, colon, rest = text.partition(": ")
    if colon and _TABLES.match(inner):
        text = rest
        return Problem(".".join(part for part in (where, inner) if part), text)
    if isinstance(detail["input"], Mapping | BaseModel):
        return Problem(where, text)
    return Problem(where, f"found {shown(detail['input'])}, allowed: {text}")


#: Matches the field's path with which the error of a validator of the whole scenario begins.
_TABLES = re.compile(r"(servers|resources|job_types|jobs|phases|classes|cost|initial|workload|run|policy)(\[|\.|$)")


def _path(location: tuple[int | str, ...]) -> str:
    text = ""
    before: int | str = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part != "[key]" and not (before in _UNIONS and part in _TAGS):
            text += f".{part or QUOTED_NOTHING}" if text else str(part or QUOTED_NOTHING)
        before = part
    return text


#: The display of an empty key.
QUOTED_NOTHING = "''"

#: Fields that hold one of several tables; pydantic adds the table's name to the path.
_UNIONS = frozenset({"workload", "initial", "service"})
_TAGS = frozenset(
    {
        "poisson",
        "scripted",
        "trace",
        "empty",
        "full",
        "given",
        "exponential",
        "deterministic",
        "erlang",
        "hyper-exponential",
        "pareto",
        "lognormal",
        "mixed-erlang",
        "empirical",
    }
)


def shown(value: object) -> str:
    """A value as text for a message: short, on one line, strings in quotes."""
    if isinstance(value, str):
        return quoted(value)
    try:
        text = str(value)
    except ValueError:  # Python refuses to write integers of more than 4300 digits
        return "a number of thousands of digits"
    if isinstance(value, bool):
        text = text.lower()
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_QUOTED else f"{text[: LONGEST_QUOTED - 3]}..."


#: The keys of each table with their full paths, by the table's path without list indices.
_Keys = Mapping[str, Mapping[str, str]]


@lru_cache(maxsize=64)
def _known_keys(schema: type[BaseModel]) -> _Keys:
    """The keys of a schema; cached, as it takes tens of milliseconds and forms are checked at every keystroke."""
    whole = schema.model_json_schema()
    found: dict[str, dict[str, str]] = {}

    def walk(node: Mapping[str, Any], path: str) -> None:
        if "$ref" in node:
            node = whole["$defs"][node["$ref"].rpartition("/")[2]]
        for choice in (*node.get("oneOf", ()), *node.get("anyOf", ())):
            walk(choice, path)
        if "items" in node:
            walk(node["items"], f"{path}[]")
        for key, inner in node.get("properties", {}).items():
            inside = f"{path}.{key}" if path else key
            found.setdefault(_table(path), {}).setdefault(key, inside)
            walk(inner, inside)

    walk(whole, "")
    return found


def _table(path: str) -> str:
    return re.sub(r"\[\d*\]", "", path)


def _unknown(location: tuple[int | str, ...], known: _Keys) -> str:
    """The message about an unknown key: that the key is another table's, a suggestion, or all allowed keys."""
    from difflib import get_close_matches

    path = _path(location)
    here, key = known.get(_table(_path(location[:-1])), {}), str(location[-1])
    if key in here:
        other = f"that '{location[-2]}' does not have" if location[-2] in _TAGS else "of another kind of entry"
        return f"found a key {other}"
    elsewhere = {name: path for keys in reversed(list(known.values())) for name, path in keys.items()}
    near = get_close_matches(key, here, n=1)
    if near and key not in elsewhere:
        return f"found an unknown key; did you mean '{near[0]}'?"
    around = (name for name, found in elsewhere.items() if not path.startswith(f"{found}."))  # not an enclosing table
    far = get_close_matches(key, around, n=1)
    hint = f"; did you mean '{elsewhere[far[0]]}'?" if far else f", allowed: {', '.join(here) or 'none'}"
    return f"found an unknown key{hint}"
