"""The pixels of stacks of servers, of which only the strips that changed are made anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from slotscope.gui.kinds.reservation.servers_slots import Floats, StripPicture
from slotscope.gui.kinds.reservation.servers_stack_layout import MOST_STRIP, StackLayout, StackScale

Flags = npt.NDArray[np.bool_]


class StackContent(NamedTuple):
    """The servers of one column from the bottom to the top."""

    picture: StripPicture
    jobs: npt.NDArray[np.int32]  #: [n, J]
    reserved: Flags  #: [n] in the Reject Group


class _Shown(NamedTuple):
    picture: StripPicture
    place: tuple[int, int]
    first: int
    jobs: Floats
    reserved: Flags
    height: int


class StackRaster:
    """Draws stacks into pixels."""

    def __init__(self) -> None:
        self._shown: dict[int, _Shown] = {}
        self._pad = 0
        self._background = 0
        self.resize(1, 1, 1, 0)

    def resize(self, width: int, height: int, line: int, background: int) -> None:
        """Start again with an empty stage of this size in device pixels."""
        # Strips that stick out at the top or the bottom are drawn whole into a margin.
        self._pad = MOST_STRIP * line
        self._pixels = np.empty((max(1, height) + 2 * self._pad, max(1, width)), np.uint32)
        self._background = background
        self.clear()
        stage = self._pixels[self._pad : self._pad + max(1, height)]
        #: The stage; it shares its pixels with this raster.
        self.image = QImage(stage.data, stage.shape[1], stage.shape[0], 4 * stage.shape[1], QImage.Format.Format_RGB32)

    def clear(self) -> None:
        """Forget what is shown; the next drawing is a full one."""
        self._pixels.fill(self._background)
        self._shown.clear()

    def draw(self, layout: StackLayout, columns: tuple[StackContent, ...]) -> int:
        """Bring the picture up to date; returns how many strips were drawn anew."""
        return sum(self._draw(layout, i, content) for i, content in enumerate(columns))

    def _draw(self, layout: StackLayout, column: int, content: StackContent) -> int:
        scale = layout.scale
        first, last = _visible(layout, len(content.jobs))
        jobs, reserved = _grouped(content, scale, first, last)
        place = layout.left(column), layout.floor
        height = scale.height(len(content.jobs))
        now = _Shown(content.picture, place, first, jobs, reserved, height)
        old = self._shown.get(column)
        self._shown[column] = now
        if old is None or (old.picture, old.place, old.first) != now[:3]:
            self._wipe(layout, column)
            chosen = np.arange(len(jobs))
        else:
            if height < old.height:
                self._wipe(layout, column, height)
            chosen = _changed(old, now)
        self._put(layout, column, now, chosen)
        if scale.group > 1:
            self._wipe(layout, column, height)
        return len(chosen)

    def _wipe(self, layout: StackLayout, column: int, above: int = 0) -> None:
        """Clear a column from a height above the base line on."""
        left = layout.left(column)
        bottom = max(0, layout.floor - above + self._pad)
        right = left + layout.columns[column].width
        self._pixels[:bottom, max(0, left) : max(0, right)] = self._background

    def _put(self, layout: StackLayout, column: int, now: _Shown, chosen: npt.NDArray[np.intp]) -> None:
        left, strip = layout.left(column), layout.scale.strip
        first, last = max(0, left), min(self._pixels.shape[1], left + layout.columns[column].stack)
        if last <= first or not len(chosen):
            return
        block = now.picture.strips(now.jobs[chosen], now.reserved[chosen])
        bottom = layout.floor + self._pad - now.first * strip
        rows = self._pixels[bottom - len(now.jobs) * strip : bottom]
        strips = rows.reshape(len(now.jobs), strip, -1)
        # The array runs from top to bottom, places count from the bottom.
        strips[len(now.jobs) - 1 - chosen, :, first:last] = block[:, :, first - left : last - left]


def _visible(layout: StackLayout, servers: int) -> tuple[int, int]:
    """The strips of a stack that can be seen: from the first to before the last."""
    strip = layout.scale.strip
    strips = -(-servers // layout.scale.group)
    first = max(0, layout.floor - layout.height) // strip
    last = -(-max(0, layout.floor) // strip)
    return min(first, strips), min(last, strips)


def _grouped(content: StackContent, scale: StackScale, first: int, last: int) -> tuple[Floats, Flags]:
    """Jobs per server and type, and the group, of each strip from *first* to before *last*."""
    servers = slice(first * scale.group, min(last * scale.group, len(content.jobs)))
    jobs = content.jobs[servers].astype(np.float64)
    reserved = content.reserved[servers]
    if scale.group == 1 or not len(jobs):
        return jobs, reserved
    starts = np.arange(0, len(jobs), scale.group)
    sizes = np.diff(np.append(starts, len(jobs)))
    return (
        np.add.reduceat(jobs, starts, axis=0) / sizes[:, None],
        # A whole strip is never shown as reserved for the sake of one server in it.
        np.logical_and.reduceat(reserved, starts),
    )


def _changed(old: _Shown, now: _Shown) -> npt.NDArray[np.intp]:
    common = min(len(old.jobs), len(now.jobs))
    differs = np.ones(len(now.jobs), np.bool_)
    differs[:common] = (old.jobs[:common] != now.jobs[:common]).any(axis=1)
    differs[:common] |= old.reserved[:common] != now.reserved[:common]
    return np.flatnonzero(differs)
