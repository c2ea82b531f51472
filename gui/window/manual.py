"""Pages of the manual: the page that fits a run, and commands in pages turned into links."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.model.cli.arguments import parse
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Course
from slotscope.model.policies import is_file
from slotscope.model.policies.choice import policy_choice
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.scenario.files import scenario_files

HELP = Path(__file__).resolve().parents[2] / "resources" / "help"

#: Pages of the manual with their titles, in the order of the contents.
PAGES = {
    "lecturer": "Five minutes for a lecturer",
    "lessons": "Lessons",
    "everyone": "For everyone",
    **{room.page: room.page_title for room in PANEL_ROOMS.values()},
    "sharing": "Out of the hall: films, pages, pictures, links",
    "comparison": "Policies side by side",
    "forks": "What if",
    "questions": "Questions about a run",
    "why": "Why, and why not",
    "monitors": "Monitors",
    "theory": "Theory, live",
    "experiments": "Experiments",
    "scenarios": "Scenarios",
    "traces": "Recorded workloads",
    "own-policy": "A policy of your own",
    "library": "slotscope as a library",
    "extending": "Extending the program",
    "trace-format": "The trace format",
    "architecture": "Architecture",
    "design-notes": "Design notes",
    "about": "About slotscope",
}

#: Prefix of links to commands; the command's index on the page follows.
OPENS = "open:"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(?<![`\[])`([^`\n]+)`(?!`)")  # code after a bracket is a link already


def page_of(info: RunInfo | None) -> str:
    """The page for a run: that of its lesson if it has one, else that of its kind of system."""
    if info is None:
        return "lecturer"
    room = PANEL_ROOMS[info.system]
    return room.lessons.get(info.origin.source) or room.page


def text_of(page: str) -> tuple[str, list[argparse.Namespace]]:
    """A page with the contents on top, and the commands behind its links, in order."""
    contents = " · ".join(f"[{title}]({name}.md)" for name, title in PAGES.items())
    commands: list[argparse.Namespace] = []

    def linked(command: str, shown: str) -> str:
        options = window_command(command)
        if options is None:
            return ""
        commands.append(options)
        return f"[`{shown}`]({OPENS}{len(commands) - 1})"

    def in_block(block: re.Match[str]) -> str:
        lines = block[2].replace("\\\n", " ").splitlines()
        links = [] if block[1] else [linked(line, line) for line in lines]  # blocks of commands have no language tag
        if not any(links):
            return block[0]
        return "\n\n".join(link or f"```\n{line}\n```" for link, line in zip(links, lines, strict=True))

    def in_words(code: re.Match[str]) -> str:
        return linked(code[1], code[1]) or code[0]

    text = (HELP / f"{page}.md").read_text(encoding="utf-8")
    text = _CODE.sub(in_words, _BLOCK.sub(in_block, text))
    return f"{contents}\n\n---\n\n{text}", commands


def window_command(command: str) -> argparse.Namespace | None:
    """The options of a command that opens a built-in scenario; None for any other command.

    Links must not open files: neither scenarios, traces nor users' policies.
    """
    words = command.split("#", maxsplit=1)[0].strip().removeprefix("slotscope ")
    if words.split(" ")[0] not in scenario_files():
        return None
    try:
        options = parse(shlex.split(words))
        files = any(is_file(policy_choice(Course.read(policy).policy).name) for policy in options.policies)
    except (UserError, ValueError):
        return None
    return None if files or options.trace else options
