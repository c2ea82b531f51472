"""The slots of one server drawn as a strip, full and empty.

All servers of a configuration have the same slots, so each configuration needs only one picture with all slots filled
and one with all slots empty; each server is composed of the two by comparing numbers, which NumPy does for a whole
stack at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetrics, QImage, QPainter

from slotscope.gui.kinds.reservation.servers_shapes import TEXTURED
from slotscope.gui.kinds.reservation.servers_stack_layout import StackScale
from slotscope.gui.painting.colour import letter_ink, mix
from slotscope.gui.painting.textures import RasterPalette, tile_brush
from slotscope.gui.theme import Theme
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.reporting.records import Configuration

#: Minimum size of a slot with its gap, for slots shown one by one.
PITCH = 3
#: Servers have a frame from this height.
FRAMED = 14
#: A smaller empty slot would consist of its outline only; it is painted in a faint colour instead.
OUTLINED = 6
FAINT = 0.78
#: Height and width from which slots can be recognised from the last row of an audience; preferred where possible.
SEEN = (28, 14)
#: Value of rows of unequal length relative to that of equal ones.
UNEVEN = 0.75
NO_TYPE = 255

#: Maximum size of a type's letter, in pixels, if one in the size of the window's text does not fit.
_SMALLER = 13

Floats = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint32]


class SlotBox(NamedTuple):
    """The box of one slot, or, if ``slot`` is None, of all slots of a type together."""

    job_type: int
    slot: int | None
    left: int
    top: int
    right: int
    bottom: int


class Strip(NamedTuple):
    """The shape of a server's picture: its size in device pixels, and whether it stands for several servers."""

    width: int
    height: int
    several: bool
    line: int  #: device pixels per line of a texture


def inner_box(strip: Strip) -> tuple[int, int, int, int]:
    """The area of the slots (left, top, right, bottom): inside the gap to the server above, and the frame."""
    gap = 0 if strip.several else strip.line
    edge = 2 * strip.line if strip.height >= FRAMED * strip.line else 0
    left, right = min(edge, strip.width // 3), max(strip.width - edge, strip.width * 2 // 3)
    return left, gap + edge, right, strip.height - edge


def slot_boxes(configuration: Sequence[int], weight: Sequence[float], strip: Strip) -> tuple[SlotBox, ...]:
    """The boxes of a configuration's slots in a strip, type by type from the left.

    A type's slots get a width in proportion to *weight*, and as many rows as make them squarest.  If any slot would be
    too small to be visible, every type gets a single box instead.
    """
    left, top, right, bottom = inner_box(strip)
    total = sum(slots * weight[j] for j, slots in enumerate(configuration))
    sections: list[tuple[int, int, int]] = []
    before = 0.0
    for job_type, slots in enumerate(configuration):
        after = before + slots * weight[job_type]
        if slots:
            start, end = (left + round((right - left) * x / total) for x in (before, after))
            sections.append((job_type, start, end))
        before = after
    singles: list[SlotBox] = []
    for job_type, start, end in sections:
        found = _single(job_type, configuration[job_type], (start, top, end, bottom), strip)
        if found is None:
            return tuple(SlotBox(j, None, a, top, b, bottom) for j, a, b in sections)
        singles += found
    return tuple(singles)


def _single(job_type: int, slots: int, area: tuple[int, int, int, int], strip: Strip) -> list[SlotBox] | None:
    left, top, right, bottom = area
    width, height = right - left, bottom - top
    rows = _rows(slots, width, height, strip.line)
    columns = -(-slots // rows)
    rows = -(-slots // columns)
    gap = strip.line
    least = PITCH * strip.line
    if strip.several or width // columns < least or height // rows < max(2, least - gap):
        return None
    result = []
    for slot in range(slots):
        row, column = divmod(slot, columns)
        result.append(
            SlotBox(
                job_type,
                slot,
                left + width * column // columns,
                top + height * row // rows + (gap if row else 0),
                left + width * (column + 1) // columns - gap,
                top + height * (row + 1) // rows,
            )
        )
    return result


def _rows(slots: int, width: int, height: int, line: int) -> int:
    """The number of rows that makes the shorter side of a slot longest, preferring rows high enough to be recognised.

    Rows of equal length are preferred, since a gap at the end would look like a slot.
    """
    if slots * height <= 2 * width:
        return 1

    def quality(rows: int) -> tuple[bool, float, int]:
        across, down = width // -(-slots // rows), height // rows
        seen = down >= SEEN[0] * line and across >= SEEN[1] * line
        return seen, min(across, down) * (1.0 if slots % rows == 0 else UNEVEN), -rows

    return max(range(1, slots + 1), key=quality)


@dataclass(frozen=True, eq=False)
class StripPicture:
    """The pictures of a server of one configuration."""

    boxes: tuple[SlotBox, ...]  #: the boxes of its slots
    #: job_type, threshold: [height, width] job type at each pixel; the pixel is filled if more slots of that type than
    #: the threshold are filled (per server); a single row if all rows are equal
    job_type: npt.NDArray[np.uint8]
    threshold: npt.NDArray[np.float32]
    #: full, vacant, reserved: [height, width] pixels: all slots filled; all empty; all empty, in the Reject Group
    full: Pixels
    vacant: Pixels
    reserved: Pixels

    def filled(self, jobs: Floats) -> npt.NDArray[np.bool_]:
        """[n, height or 1, width] whether each pixel is filled; *jobs* [n, J] are per server."""
        padded = np.column_stack([jobs, np.zeros(len(jobs))]).astype(np.float32)
        kinds = np.minimum(self.job_type, jobs.shape[1])
        return np.asarray(self.threshold < padded[:, kinds])

    def strips(self, jobs: Floats, reserved: npt.NDArray[np.bool_]) -> Pixels:
        """[n, height, width] the pixels of n strips; *reserved* [n] are in the Reject Group."""
        result = np.where(self.filled(jobs), self.full, self.vacant)
        if reserved.any():
            result[reserved] = np.where(self.filled(jobs[reserved]), self.full, self.reserved)
        return result


def strip_picture(
    configuration: Sequence[int],
    weight: Sequence[float],
    strip: Strip,
    theme: Theme,
    palette: RasterPalette,
    font: QFont,
) -> StripPicture:
    """Draw the pictures of a server of *configuration*; *font* is for the letters of types."""
    boxes = slot_boxes(configuration, weight, strip)
    job_type = np.full((strip.height, strip.width), NO_TYPE, np.uint8)
    threshold = np.full((strip.height, strip.width), np.inf, np.float32)
    for box in boxes:
        area = slice(box.top, box.bottom), slice(box.left, box.right)
        job_type[area] = box.job_type
        if box.slot is not None:
            threshold[area] = box.slot
        elif box.right > box.left:
            steps = (np.arange(box.right - box.left) + 0.5) / (box.right - box.left)
            threshold[area] = steps * configuration[box.job_type]
    brush = _Brush(boxes, strip, theme, palette, font)
    pictures = [brush.picture(kind) for kind in ("full", "vacant", "reserved")]
    if all((table == table[-1]).all() for table in (job_type, threshold)):
        job_type, threshold = job_type[-1:], threshold[-1:]
    return StripPicture(boxes, job_type, threshold, *pictures)


class _Letter(NamedTuple):
    """The letter of a type, the same in all its slots."""

    text: str
    font: QFont
    width: int  #: width and height in device pixels
    height: int
    plate: QColor  #: background of the letter in a filled slot
    on_plate: QColor
    alone: QColor  #: colour of the letter in an empty slot


class _Brush:
    """Draws the slots of a strip."""

    def __init__(
        self, boxes: tuple[SlotBox, ...], strip: Strip, theme: Theme, palette: RasterPalette, font: QFont
    ) -> None:
        self._boxes, self._strip, self._theme, self._palette = boxes, strip, theme, palette
        self._font = QFont(font)
        self._font.setBold(True)
        self._largest = QFontInfo(self._font).pixelSize() * strip.line  # the size of other text
        # Sizes of a type's slots differ by a pixel; either all of them have the letter or none.
        least: dict[int, tuple[int, int]] = {}
        for box in boxes:
            across, down = least.get(box.job_type, (strip.width, strip.height))
            least[box.job_type] = min(across, box.right - box.left), min(down, box.bottom - box.top)
        self._letters = {job_type: self._fitting(job_type, *room) for job_type, room in least.items()}

    def picture(self, kind: str) -> Pixels:
        """[height, width] The strip with all slots ``full``, ``vacant`` or ``reserved``."""
        width, height = self._strip.width, self._strip.height
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(QColor(self._theme.panel))
        painter = QPainter(image)
        self._frame(painter, bool(self._boxes))
        for box in self._boxes:
            rect = QRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
            self._slot(painter, box, rect, kind)
        painter.end()
        rows = np.frombuffer(image.constBits(), np.uint32).reshape(height, -1)
        return rows[:, :width].copy()

    def _frame(self, painter: QPainter, has_slots: bool) -> None:
        strip = self._strip
        gap = 0 if strip.several else strip.line
        outer = QRect(0, gap, strip.width, strip.height - gap)
        if strip.height >= FRAMED * strip.line or not has_slots:
            painter.fillRect(outer, QColor.fromRgb(int(self._palette.frame[0])))
            edge = strip.line if strip.height > 2 * strip.line + gap else 0
            if edge and not strip.several:
                painter.fillRect(outer.adjusted(edge, edge, -edge, -edge), self._theme.panel)

    def _slot(self, painter: QPainter, box: SlotBox, rect: QRect, kind: str) -> None:
        line = self._strip.line
        color = self._theme.type_style(box.job_type).color
        small = min(rect.width(), rect.height())
        if kind == "full":
            # In strips of several servers (bars) a texture would look like servers, so they are plain.
            textured = small >= TEXTURED * line and not self._strip.several
            tile = tile_brush(self._palette.tile[box.job_type])
            painter.fillRect(rect, tile if textured else QColor(color))
        elif small < OUTLINED * line or box.slot is None:
            painter.fillRect(rect, QColor(mix(color, self._theme.panel, FAINT)))
        else:
            painter.fillRect(rect, QColor(color))
            inside = rect.adjusted(line, line, -line, -line)
            painter.fillRect(inside, tile_brush(self._palette.vacant[int(kind == "reserved")]))
        if box.slot is not None:
            self._letter(painter, box, rect, kind == "full")

    def _letter(self, painter: QPainter, box: SlotBox, rect: QRect, filled: bool) -> None:
        letter = self._letters[box.job_type]
        if letter is None:
            return
        painter.setFont(letter.font)
        if filled:
            plate = QRect(0, 0, letter.width, min(rect.height() - 2 * self._strip.line, letter.height))
            plate.moveCenter(rect.center())
            painter.fillRect(plate, letter.plate)
        painter.setPen(letter.on_plate if filled else letter.alone)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letter.text)

    def _fitting(self, job_type: int, across: int, down: int) -> _Letter | None:
        """The letter of a type for slots of at least *across* by *down* pixels; None if it does not fit."""
        style, line = self._theme.type_style(job_type), self._strip.line
        font = QFont(self._font)
        for most in (self._largest, _SMALLER * line):  # a small letter in a narrow slot is better than none
            font.setPixelSize(max(1, min(down - 4 * line, most)))
            metrics = QFontMetrics(font)
            width = metrics.horizontalAdvance(style.letter) + 4 * line
            if width <= across:
                break
        if font.pixelSize() < 8 * line or width > across:
            return None
        alone = mix(self._theme.ink(style.color), self._theme.panel, 0.35)
        inks = QColor(style.color), QColor(letter_ink(style.color)), QColor(alone)
        return _Letter(style.letter, font, width, metrics.height(), *inks)


#: Maximum number of pictures in the cache; zooming adds one for each configuration and scale.
MOST = 512


class Pictures:
    """A cache of strips' pictures for one scenario, theme and font."""

    def __init__(self, numbers: ReservationNumbers, theme: Theme, palette: RasterPalette, font: QFont) -> None:
        # A slot's width is proportional to the square root of its share of a server, so that small slots remain visible
        # beside large ones.
        self._weight = np.sqrt(np.clip(numbers.largest_share, 1e-3, 1.0)).tolist()
        self._theme, self._palette, self._font = theme, palette, font
        self._known: dict[tuple[Configuration, Strip], StripPicture] = {}

    def get(self, configuration: Configuration, width: int, scale: StackScale) -> StripPicture:
        """The picture of a configuration's servers in a stack of this width."""
        line = self._palette.scale
        strip = Strip(width, scale.strip, scale.is_bar(line), line)
        key = configuration, strip
        if key not in self._known:
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[key] = strip_picture(configuration, self._weight, strip, self._theme, self._palette, self._font)
        return self._known[key]
