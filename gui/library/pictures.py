"""Panels and figures as SVG pictures, for notebooks and papers; Qt is imported when the first one is drawn."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from slotscope.model.draft import write_text
from slotscope.model.errors import UserError

if TYPE_CHECKING:
    from slotscope.model.lab.results import Figure
    from slotscope.model.reporting.frame import Frame


@dataclass(frozen=True, repr=False)
class Picture:
    """An SVG picture."""

    title: str
    svg: str

    def save(self, path: str | Path) -> None:
        """Write it as an SVG file.

        Raises
        ------
        UserError
            If the file cannot be written.
        """
        write_text(Path(path), self.svg)

    def __repr__(self) -> str:
        return f"<picture of {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg


def panel_picture(frame: Frame, name: str, size: tuple[int, int], theme: str) -> Picture:
    """A picture of a panel that shows *frame*; an empty *name* means the panel of servers.

    Raises
    ------
    UserError
        If the frame's kind of system has no such panel, or the panel fails.
    """
    _prepare()
    from slotscope.gui import theme as themes
    from slotscope.gui.kinds.rooms import PANEL_ROOMS
    from slotscope.gui.panels import panels_of
    from slotscope.gui.window.application import application, destroy

    name = name or PANEL_ROOMS[frame.info.system].roles.servers
    entries = {entry.name: entry for entry in panels_of(frame.info.system)}
    if name not in entries:
        raise UserError(f"found the panel '{name}', allowed: {', '.join(entries)}")
    look = themes.load_theme(theme)
    app = application(offscreen=True)
    themes.apply(app, look)
    panel = entries[name].load()(look)
    try:
        panel.resize(*size)
        panel.show()
        panel.set_frame(frame)
        app.processEvents()
        if panel.fault is not None:
            raise UserError(f"the panel '{name}' failed: {panel.fault.sentence}")
        return Picture(panel.title, _written(panel.save_svg))
    finally:
        destroy(panel)


def figure_picture(figure: Figure) -> Picture:
    """A picture of an experiment's figure."""
    _prepare()
    from slotscope.gui.window.figure import save_figure

    return Picture(figure.title, _written(lambda path: save_figure(figure, path)))


def _prepare() -> None:
    """Choose Qt's platform for drawing without a display, unless the environment names one."""
    from slotscope.gui.platform import require_platform

    os.environ.setdefault("QT_QPA_PLATFORM", require_platform(os.environ, window=False).plugin)


def _written(save: Callable[[Path], None]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.svg"
        save(path)
        text = path.read_text(encoding="utf-8")
    return text[text.index("<svg") :]  # the XML header before it is not allowed inside a page
