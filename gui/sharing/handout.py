"""A handout: all panels at one moment as a PDF with one page each, or as a folder of pictures, with captions."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Protocol, Sequence

from PySide6.QtCore import QMarginsF, QPoint, QRectF, Qt
from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPainter, QPdfWriter

from slotscope.gui import theme as themes
from slotscope.gui.film.stage import panel_classes, show_at_rest
from slotscope.gui.panel import Panel
from slotscope.gui.panels import COMPARISON, companions_of, panels_of
from slotscope.gui.panels.wording import sentence
from slotscope.gui.presenting.pad import mark_over
from slotscope.gui.widgets.painted import InMemory, image_of, write_image
from slotscope.gui.window.application import application, destroy
from slotscope.model.draft import draft_of, write_text
from slotscope.model.errors import UserError
from slotscope.model.lessons.marks import Mark
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import full_time
from slotscope.model.reporting.frame import Frame

#: Width and height of each panel in screen pixels; and its maximum height if its content needs more.
SIZE = (1000, 640)
HIGHEST = 1000

#: Of a PDF page: resolution in dots per inch, margins in millimetres, and the caption's share of the height.
_RESOLUTION, _MARGIN, _CAPTION = 300, 12.0, 0.14


class CaptionedPanel(NamedTuple):
    """A panel that shows the moment, and the caption below its picture."""

    panel: Panel
    caption: tuple[str, ...]


class _Sheets(Protocol):
    """Takes the panels one by one."""

    def add(self, one: CaptionedPanel) -> None: ...

    def end(self) -> None: ...


def save_handout(
    frame: Frame,
    path: Path,
    theme: str,
    tell: Callable[[float], None],
    marks: Sequence[Mark] = (),
    without: Sequence[str] = (),
) -> int:
    """Write all panels that have something to show, with the marks on them; returns how many there are.

    Panels whose names are in *without* are left out.
    *tell* gets the share done, and may raise an exception to end it.
    Raises UserError if a panel fails, a name is unknown, or the file or folder cannot be written.
    """
    look = themes.load_theme(theme)
    themes.apply(application(offscreen=True), look)
    left_out = panel_classes(frame.info.system, without, len(frame.lanes), where="--without")
    wanted = [one for one in _wanted(frame) if one[0] not in left_out]
    count = 0
    with _sheets_of(path) as sheets:
        for number, (cls, lane, title) in enumerate(wanted, 1):
            count += _saved(cls(look), title, lane, frame, sheets, marks)
            tell(number / len(wanted))
    return count


@contextmanager
def _sheets_of(path: Path) -> Iterator[_Sheets]:
    """The writer for *path*: a PDF, which is written as a whole or not at all, or a folder of pictures."""
    if path.suffix.lower() not in {"", ".pdf"}:
        said = Phrase("found '{path}', allowed: a path that ends in .pdf, or a folder's", path=path)
        raise UserError(said, where="--out")
    with draft_of(path) if path.suffix else nullcontext(path) as place:
        sheets: _Sheets = PdfSheets(place) if path.suffix else PictureSheets(place)
        try:
            yield sheets
        finally:
            sheets.end()


def _saved(panel: Panel, title: str, lane: int, frame: Frame, sheets: _Sheets, marks: Sequence[Mark]) -> bool:
    """Have a panel show the moment and write its picture; returns False if it has nothing to show."""
    part = frame.lanes[lane]
    try:
        if shown := _shows(panel, part):
            mark_over(panel, lane, marks)
            sheets.add(CaptionedPanel(panel, _caption(title or panel.title, part, frame)))
        return shown
    finally:
        destroy(panel)


def _wanted(frame: Frame) -> Iterator[tuple[type[Panel], int, str]]:
    """The class of each panel, its lane, and its title if it differs from the class's."""
    system = frame.info.system
    labels = () if frame.comparison is None else frame.comparison.labels
    for entry in (*panels_of(system), *([COMPARISON] if labels else [])):
        cls = entry.load()
        if cls.needs <= frame.info.offers:
            yield cls, 0, f"{labels[0]}: {cls.title}" if labels and entry is not COMPARISON else ""
    for lane, label in enumerate(labels[1:], 1):
        for cls in (entry.load() for entry in companions_of(system)):
            yield cls, lane, f"{label}: {cls.title}"


def _shows(panel: Panel, frame: Frame) -> bool:
    """Have a panel show a moment, animations finished, at full height; returns False if it has nothing to show."""
    panel.resize(*SIZE)
    panel.go_on_paper()
    panel.show()
    show_at_rest(panel, frame)
    if (focused := panel.focusWidget()) is not None:
        focused.clearFocus()  # no focus ring on paper
    if more := panel.below():
        panel.resize(SIZE[0], min(HIGHEST, SIZE[1] + more))
        show_at_rest(panel, frame)
    return not panel.empty


def _caption(title: str, part: Frame, frame: Frame) -> tuple[str, ...]:
    """The caption: the panel's title, run and moment; the last sentence; and the command line that opens it."""
    info = part.info
    run = (
        f"{info.scenario_name}, {info.policy_title}, seed {info.seed}, event {part.moment}, t = {full_time(part.time)}"
    )
    return tuple(filter(None, (f"{title}. {run}", sentence(part), frame.opening_line)))


class PictureSheets:
    """A folder with a picture of each panel, and a text file of their captions."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._captions = folder, list[str]()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                Phrase("cannot be made: {fault}", fault=error.strerror or error), where=str(folder)
            ) from None
        if any(folder.glob("*.png")):
            raise UserError(Phrase("found other pictures, allowed: an empty folder"), where=str(folder))

    def add(self, one: CaptionedPanel) -> None:
        """Write the next picture."""
        name = f"{len(self._captions) + 1:02}-{one.panel.name}.png"
        write_image(image_of(one.panel), self._folder / name)
        self._captions.append("\n".join((name, *one.caption)))

    def end(self) -> None:
        """Write the captions; pictures written so far are kept even if some are missing."""
        if self._captions:
            write_text(self._folder / "captions.txt", "\n\n".join(self._captions) + "\n")


class PdfSheets:
    """A PDF file with one page of vector graphics per panel."""

    def __init__(self, path: Path) -> None:
        self._path, self._buffer = path, InMemory()
        self._writer = QPdfWriter(self._buffer)
        self._writer.setResolution(_RESOLUTION)
        self._writer.setCreator("slotscope")
        self._writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        self._writer.setPageOrientation(QPageLayout.Orientation.Landscape)
        self._writer.setPageMargins(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageLayout.Unit.Millimeter)
        self._painter: QPainter | None = None

    def add(self, one: CaptionedPanel) -> None:
        """Paint the next page."""
        if self._painter is None:
            self._writer.setTitle(one.caption[0])
            self._painter = QPainter(self._writer)
        else:
            self._writer.newPage()
        page = QRectF(0, 0, self._writer.width(), self._writer.height())
        high = (1 - _CAPTION) * page.height()
        room = QRectF(one.panel.rect())
        scale = min(page.width() / room.width(), high / room.height())
        self._painter.save()
        self._painter.translate((page.width() - scale * room.width()) / 2, 0)
        self._painter.scale(scale, scale)
        self._painter.setClipRect(room)
        one.panel.render(self._painter, QPoint())
        self._painter.restore()
        self._painter.setFont(QFont(self._painter.font().family(), 10))
        below = page.adjusted(0, scale * room.height() + 0.02 * page.height(), 0, 0)
        self._painter.drawText(below, Qt.TextFlag.TextWordWrap, "\n".join(one.caption))

    def end(self) -> None:
        """Finish painting, and write the file."""
        if self._painter is not None:
            self._painter.end()
        self._path.write_bytes(self._buffer.written)
