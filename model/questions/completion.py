"""Completion of names while a question is typed; the names are those of ``slotscope ask --names``."""

from __future__ import annotations

import re

from slotscope.model.questions.words import Word, Words

_UNFINISHED = re.compile(r"(?:I\*|[^\W\d]\w*(?:\[\w*\]?)?|\w*)$")
_OF_THING = re.compile(r"([^\W\d]\w*)\s+\d+\s*\.\s*$")
_COMPARED = re.compile(r"([^\W\d]\w*|I\*)\s*!?=\s*$")
_WHERE = re.compile(r"\b(?:any|count)\s+([^\W\d]\w*)\s+where\b")


def completions(words: Words, before: str) -> tuple[int, list[Word]]:
    """Where the unfinished name at the end of the text *before* the cursor begins, and the names that complete it.

    If no name has been begun, none are offered, unless few are possible: the fields of one server, the types of jobs.
    """
    unfinished = _UNFINISHED.search(before)
    assert unfinished is not None  # it may be empty
    start, typed = unfinished.start(), unfinished.group().casefold()
    if found := _OF_THING.search(before[:start]):
        offered = _of_thing(words, found[1])
    elif (found := _COMPARED.search(before[:start])) and (members := _members(words, found[1])):
        offered = members
    elif typed:
        things = _WHERE.findall(before[:start])
        inside = _of_thing(words, things[-1]) if things else []
        offered = inside + [word for word in words.all() if " . " not in word.text]
    else:
        return start, []
    return start, [word for word in offered if word.text.casefold().startswith(typed)]


def _of_thing(words: Words, thing: str) -> list[Word]:
    lead = f"{thing} 1 . "
    return [word._replace(text=word.text.removeprefix(lead)) for word in words.all() if word.text.startswith(lead)]


def _members(words: Words, name: str) -> list[Word]:
    """The names of a field's values; empty if they have none."""
    field = words.fields.get(name)
    if field is None or not field.choices:
        return []
    names = words.dimensions[field.choices]
    return [Word(one if one.isidentifier() else f'"{one}"', f"a {field.choices}", "", "row") for one in names]
