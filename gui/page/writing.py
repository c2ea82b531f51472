"""Writes what was recorded as one HTML file: the data, packed, beside the program that plays it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path
from typing import Any

from slotscope.gui import theme as themes
from slotscope.gui.page.recording import THEMES
from slotscope.gui.sharing.draft import draft_of

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
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def unpacked(page: str) -> dict[str, Any]:
    """The data that a page plays."""
    _, _, rest = page.partition('<script type="text/plain" id="data">')
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(rest.partition("</script>")[0])))
    return found


def write_page(data: dict[str, Any], path: Path) -> None:
    """Write the page that plays *data*.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    text = page_text(data)
    with draft_of(path) as draft:
        draft.write_text(text, encoding="utf-8")


def _colours() -> str:
    """The colours of both themes, as CSS."""
    rules = []
    for name in THEMES:
        theme = themes.load_theme(name)
        rules.append(f':root[data-theme="{name}"]{{color-scheme:{name};')
        rules += [f"--{colour}:{getattr(theme, colour)};" for colour in _COLOURS]
        rules.append("}")
    return "".join(rules)
