"""Parts of help pages for tests: commands, policies with parameters, tables."""

from __future__ import annotations

import re
from pathlib import Path

from slotscope.model.policies import POLICIES_OF

HELP = Path(__file__).resolve().parent.parent / "resources" / "help"


def page(name: str) -> str:
    """The source text of a page."""
    return (HELP / f"{name}.md").read_text(encoding="utf-8")


def flat(text: str) -> str:
    """A text without line breaks and code fences, in which sentences can be found."""
    return " ".join(re.sub(r"```\w*", " ", text).split())


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of a language; commands have the empty name."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [block for of, block in found if of == language]


def commands(text: str) -> list[str]:
    """Each command of the program in the code blocks."""
    joined = "\n".join(blocks(text, "")).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.startswith("slotscope")]


def policies_in(text: str, system: str = "queue") -> list[str]:
    """Each policy that the text names with parameters, such as ``vqs:j=4,stall=true``."""
    names = "|".join(sorted(POLICIES_OF[system], key=len, reverse=True))
    found = re.findall(rf"(?<![\w-])(?:{names}):[a-z_]+=[\w,=/.]*\w", text)
    return sorted(set(found))


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose first heading is *first*, each a list of its cells."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def code(cell: str) -> list[str]:
    """The code in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def told_of(heading: str, text: str, column: int = 1) -> dict[str, str]:
    """For each name in the first column of a table, a cell of its row."""
    return {name: row[column] for row in table(text, heading) for name in code(row[0])}
