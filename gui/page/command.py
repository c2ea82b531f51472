"""``slotscope export-html``: one file that plays a stretch of a run, or a lesson, in any browser.

The file is what was recorded, packed, beside the program that plays it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path
from typing import Any

from slotscope.gui import theme as themes
from slotscope.gui.page.lesson import lesson_data
from slotscope.gui.page.recording import THEMES, Dressing, recorded
from slotscope.gui.page.vectors import in_letters
from slotscope.gui.sharing.command import Tell, carry_out, run_of
from slotscope.model.cli.parser import UsageError
from slotscope.model.draft import write_text
from slotscope.model.footage.footage import Footage, usual_by
from slotscope.model.lessons.files import marks_of

_PLAYER = Path(__file__).resolve().parents[2] / "resources" / "player"

#: What of a theme the page itself is painted with.
_COLOURS = ("window", "panel", "raised", "normal", "muted", "border", "selection", "focus", "rejection", "greedy")


def page_text(data: dict[str, Any]) -> str:
    """The page that plays *data*; its script may do nothing but that, and loads nothing."""
    script = (_PLAYER / "player.js").read_text("utf-8")
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "TITLE": html.escape(data["title"]),
        "ALLOWED": allowed,
        "COLOURS": _colours(),
        "STYLE": (_PLAYER / "player.css").read_text("utf-8"),
        "DATA": packed(data),
        "SCRIPT": script,
    }
    text = (_PLAYER / "player.html").read_text("utf-8")
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], text)


def packed(data: dict[str, Any]) -> str:
    """Data as JSON, deflated, in letters."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return in_letters(text.encode())


def unpacked(page: str) -> dict[str, Any]:
    """The data that a page plays."""
    _, _, rest = page.partition('<script type="text/plain" id="data">')
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(rest.partition("</script>")[0])))
    return found


def write_page(data: dict[str, Any], path: Path) -> None:
    """Write the page that plays *data*. Raises UserError if the file cannot be written."""
    text = page_text(data)
    write_text(path, text)


def _colours() -> str:
    """The colours of both themes, as CSS."""
    rules = []
    for name in THEMES:
        theme = themes.load_theme(name)
        rules.append(f':root[data-theme="{name}"]{{color-scheme:{name};')
        rules += [f"--{colour}:{getattr(theme, colour)};" for colour in _COLOURS]
        rules.append("}")
    return "".join(rules)


def execute(options: argparse.Namespace) -> int:
    """Write the page that the command line names."""
    if (options.lesson is None) == (options.scenario is None):
        raise UsageError("found no scenario, or a lesson beside it; allowed: one of them", where="export-html")

    def make(tell: Tell) -> dict[str, Any]:
        write_page(_played(options, tell) if options.lesson is None else _lesson(options, tell), options.out)
        return {"bytes": options.out.stat().st_size}

    return carry_out(options, options.lesson or options.scenario, make)


def _lesson(options: argparse.Namespace, tell: Tell) -> dict[str, object]:
    if (options.start, options.end, options.by) != (None, None, None):
        raise UsageError("found --from, --to or --by, allowed: without --lesson", where="--lesson")
    if options.policies or options.trace or options.seed is not None or options.marks:
        raise UsageError("found --policy, --seed, --trace or --marks, allowed: without --lesson", where="--lesson")
    return lesson_data(options.lesson, options.step, options.panel, tell)


def _played(options: argparse.Namespace, tell: Tell) -> dict[str, object]:
    if options.step is not None:
        raise UsageError("found no lesson, allowed: with --lesson", where="--step")
    if None in (options.start, options.end):
        raise UsageError("found no --from or no --to, allowed: both", where="export-html")
    footage = Footage(options.start, options.end, options.by or usual_by(options.start, options.end))
    dressing = Dressing(tuple(options.panel), marks=marks_of(options.marks))
    chapter = recorded(lambda: run_of(options, options.end), footage, dressing, tell)
    lanes = ", ".join(lane["label"] for lane in chapter["lanes"])
    return {"title": f"{chapter['scenario']}: {lanes}", "chapters": [{"text": "", **chapter}]}
