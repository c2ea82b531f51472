"""Reference pictures of every panel: three sizes, both themes, one font.

For each picture a coarse grid of mean colours is recorded: fine enough to show parts that are missing,
have moved or have another colour, coarse enough to be insensitive to antialiasing.
``python -m tests.contract.pictures`` writes the table again; a commit that does so says which
pictures changed, and why they had to.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QTimer
from PySide6.QtGui import QCursor, QFont, QFontDatabase, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from slotscope.gui import theme as themes
from slotscope.gui.intents import Select
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.panel import Panel
from slotscope.gui.panels import COMPARISON, panels_of
from slotscope.gui.window.application import application
from slotscope.model.kinds.spec import KINDS
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import SERVER, Thing
from tests.contract.moments import SMALL, compared_frame, frame_of

TABLE = Path(__file__).with_name("pictures.json")
RECORD = "python -m tests.contract.pictures"

EVERY = (*dict.fromkeys(entry for system in KINDS for entry in panels_of(system)), COMPARISON)

FONT = "DejaVu Sans"
SIZES = ((260, 180), (560, 420), (1280, 860))
THEMES = ("light", "dark")

#: Rows and columns of a grid; a cell's colour is the mean of its pixels.
GRID = (20, 30)

#: Tolerated difference of a cell's red, green or blue, of 255; number of cells that may exceed it;
#: limit that no cell may exceed.
CLOSE, STRAY, FAR = 12, 3, 32

#: Colours are rounded to multiples of this, which halves the size of the table.
STEP = 4

Grid = NDArray[np.uint8]


def has_font() -> bool:
    """Whether the font of the recorded pictures is installed on this machine."""
    application(offscreen=True)
    return FONT in QFontDatabase.families()


@contextmanager
def one_font() -> Iterator[None]:
    """Draw everything in one font family without hinting, and stop cursors from blinking."""

    def font(self: themes.Fonts, size: float) -> QFont:
        made = usual(self, size)
        made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        return made

    usual = themes.Fonts._font
    app = application(offscreen=True)
    blinking = app.cursorFlashTime()
    app.setCursorFlashTime(0)
    try:
        with patch.object(themes, "_family", lambda: FONT), patch.object(themes.Fonts, "_font", font):
            yield
    finally:
        app.setCursorFlashTime(blinking)


def systems_of(entry: PanelEntry) -> list[str]:
    """The kinds of system that have the panel."""
    return [system for system in KINDS if entry in (*panels_of(system), COMPARISON)]


def labels(entry: PanelEntry) -> list[str]:
    """The labels of a panel's pictures."""
    return [
        f"{entry.load().name} {system} {theme} {width} x {height}"
        for system in systems_of(entry)
        for theme in THEMES
        for width, height in SIZES
    ]


def frame_for(entry: PanelEntry, system: str) -> Frame:
    """The frame with which a panel is drawn."""
    return compared_frame(system) if entry is COMPARISON else frame_of(SMALL[system])


#: Turns of the event loop in which a Qt view lays itself out, changes its range, and is scrolled.
QUIET = 5


def settle(panel: Panel) -> None:
    """Let a panel finish its delayed and step-by-step work; the last turns are for Qt's own timers."""
    quiet = 0
    for _ in range(500):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        quiet = 0 if any(timer.isActive() for timer in panel.findChildren(QTimer)) else quiet + 1
        if quiet == QUIET:
            break


def grid_of(image: QImage) -> Grid:
    """The mean colours of a picture's cells, as an array [rows, columns, 3]."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    height, width = image.height(), image.width()
    rows = np.frombuffer(bytes(image.constBits()), np.uint8).reshape(height, -1)
    down, across = (
        np.linspace(0, most, cells + 1).astype(int) for most, cells in zip((height, width), GRID, strict=True)
    )
    # The sums are made in place: copying all pixels to a wider type would take twenty times as long as the sums.
    bands = [rows[top:below, : 3 * width].sum(0, dtype=np.uint32) for top, below in pairwise(down.tolist())]
    sums = np.add.reduceat(np.array(bands).reshape(GRID[0], width, 3), across[:-1], 1, dtype=np.int64)
    area = np.diff(down)[:, None, None] * np.diff(across)[None, :, None]
    return (np.rint(sums / area / STEP) * STEP).clip(0, 255).astype(np.uint8)


def pictures(entry: PanelEntry) -> Iterator[QImage]:
    """The pictures of a panel for each kind, theme and size, in the order of :func:`labels`."""
    app = application(offscreen=True)
    for system in systems_of(entry):
        for name in THEMES:
            theme = themes.load_theme(name)
            themes.apply(app, theme)
            panel = entry.load()(theme)
            try:
                yield from drawn(panel, frame_for(entry, system))
            finally:
                panel.close()
                panel.deleteLater()
                QCoreApplication.sendPostedEvents(panel, QEvent.Type.DeferredDelete)


#: A position of the pointer outside all panels.
AWAY = QPoint(4000, 4000)


def drawn(panel: Panel, frame: Frame) -> Iterator[QImage]:
    """The pictures of a panel in each size."""
    panel.resize(*SIZES[0])
    QCursor.setPos(AWAY)  # another test may have left it anywhere
    panel.show()
    panel.set_frame(frame)
    panel.set_selection(Select.of(Thing(SERVER, 0)))
    for size in SIZES:
        panel.resize(*size)
        settle(panel)
        if not panel.isActiveWindow():  # activation may be late on a busy machine, and a focused field looks different
            QTest.qWaitForWindowActive(panel)
            settle(panel)
        yield panel.grab().toImage()


def difference(found: Grid, expected: Grid) -> str:
    """Where two pictures differ; empty if they are alike."""
    apart = np.abs(found.astype(int) - expected).max(axis=2)
    if (apart > CLOSE).sum() <= STRAY and apart.max() <= FAR:
        return ""
    row, column = np.unravel_index(apart.argmax(), apart.shape)
    down, across = (100 * place / cells for place, cells in zip((row, column), GRID, strict=True))
    return (
        f"{(apart > CLOSE).sum()} of {apart.size} cells differ, the most by {apart.max()} of "
        f"255: {across:.0f}% from the left, {down:.0f}% from the top"
    )


def packed(grid: Grid) -> str:
    """Encode a grid as text."""
    return base64.b85encode(zlib.compress(grid.tobytes(), 9)).decode()


def unpacked(text: str) -> Grid:
    """Decode a grid from text."""
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), np.uint8).reshape(*GRID, 3)


def known() -> dict[str, str]:
    """Read the table: each picture's grid, as text."""
    table: dict[str, str] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def kept(grid: Grid, before: str | None) -> str:
    """The table's entry for a picture: the previous entry if the picture has not changed."""
    return before if before is not None and not difference(grid, unpacked(before)) else packed(grid)


def main() -> None:
    """Write the table."""
    if not has_font():
        raise SystemExit(f"no font {FONT} on this machine; install it to record pictures")
    before = known()
    with one_font():
        table = {
            label: kept(grid_of(image), before.get(label))
            for entry in EVERY
            for label, image in zip(labels(entry), pictures(entry), strict=True)
        }
    TABLE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
