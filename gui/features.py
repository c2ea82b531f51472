"""Keeps PySide from reading the source of whatever is imported."""

from __future__ import annotations

import sys

#: Where PySide looks at what was imported.
_SUPPORT = "shibokensupport.feature"


def leave_sources_unread() -> None:
    """Let PySide take it that no module switches its features (``from __feature__ import``) on, as none here does.

    From the first of Qt's modules on it would read each module that is imported, several hundred, to see whether the
    word PySide6 is in it, and Python would keep all the lines: a sixteenth of the time of a start, and 30 MB.
    """
    support = sys.modules.get(_SUPPORT)
    if hasattr(support, "_mod_uses_pyside"):
        support._mod_uses_pyside = lambda _: True  # type: ignore[union-attr]
