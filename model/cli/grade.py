"""``slotscope grade``: a table of students' answers, graded by opening each moment again."""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter

from slotscope.model.cli.guard import BAD_INPUT, note
from slotscope.model.cli.output import print_json, progress_of
from slotscope.model.errors import UserError
from slotscope.model.lessons.grading import Grade, grades, known_lessons

#: The exit code if a file was changed.
_CHANGED = 1


def execute(options: argparse.Namespace) -> int:
    """Print a line for each answer; a file that cannot be read is reported, and the others are graded."""
    lessons = known_lessons(tuple(options.lesson))
    found: list[Grade] = []
    faults, names = 0, Counter(path.name for path in options.files)
    with progress_of("grade", quiet=options.json):
        for path in options.files:
            try:
                called = path.name if names[path.name] == 1 else str(path)  # all files may be called my.answers
                found += [one._replace(file=called) for one in grades(path, lessons)]
            except UserError as error:
                faults += 1
                note(error.line)
    if options.json:
        print_json({"answers": [one._asdict() for one in found]})
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(Grade._fields)
        writer.writerows([_harmless(str(cell)) for cell in one] for one in found)
    changed = list(dict.fromkeys(one.file for one in found if one.signed == "no"))
    for name in changed:
        first = next(n for n, one in enumerate(filter(lambda one: one.file == name, found), 1) if one.signed == "no")
        note(f"{name}: changed from answer {first} on; allowed: a file as slotscope has written it")
    return BAD_INPUT if faults else _CHANGED if changed else 0


def _harmless(cell: str) -> str:
    """A cell that spreadsheets do not take for a formula."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r" and cell[:1] else cell
