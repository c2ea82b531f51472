"""The pixels of stacks of servers; only strips that have changed are drawn again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from slotscope.gui.kinds.reservation.servers_slots import Floats, StripPicture
from slotscope.gui.kinds.reservation.servers_stack_layout import MOST_STRIP, StackLayout, StackScale

Flags = npt.NDArray[np.bool_]


class StackContent(NamedTuple):
    """The servers of one column, from bottom to top."""

    picture: StripPicture
    jobs: npt.NDArray[np.int32]  #: [n, J] jobs by type
    reserved: Flags  #: [n] whether a server is in the Reject Group


class _Shown(NamedTuple):
    picture: StripPicture
    place: tuple[int, int]
    first: int
    jobs: Floats
    reserved: Flags
    height: int


class StackRaster:
    """Draws stacks into an array of pixels."""

    def __init__(self) -> None:
        self._shown: dict[int, _Shown] = {}
        self._pad = 0
        self._background = 0
        self.resize(1, 1, 1, 0)

    def resize(self, width: int, height: int, line: int, background: int) -> None:
        """Start with an empty stage of this size in device pixels; *line* is the width of a texture's line."""
        # Strips that reach beyond the top or bottom edge are drawn whole into a margin.
        self._pad = MOST_STRIP * line
        self._pixels = np.empty((max(1, height) + 2 * self._pad, max(1, width)), np.uint32)
        self._background = background
        self.clear()
        stage = self._pixels[self._pad : self._pad + max(1, height)]
        #: The stage as an image, which shares its memory with the pixels.
        self.image = QImage(stage.data, stage.shape[1], stage.shape[0], 4 * stage.shape[1], QImage.Format.Format_RGB32)

    def clear(self) -> None:
        """Clear the stage; the next call of :meth:`draw` draws everything."""
        self._pixels.fill(self._background)
        self._shown.clear()

    def draw(self, layout: StackLayout, columns: tuple[StackContent, ...]) -> int:
        """Update the picture; returns how many strips were drawn."""
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
        """Clear a column from *above* pixels over the base line upwards."""
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
        # Rows of the array run from top to bottom, strips from bottom to top.
        strips[len(now.jobs) - 1 - chosen, :, first:last] = block[:, :, first - left : last - left]


def _visible(layout: StackLayout, servers: int) -> tuple[int, int]:
    """The visible strips of a stack, as a half-open range."""
    strip = layout.scale.strip
    strips = -(-servers // layout.scale.group)
    first = max(0, layout.floor - layout.height) // strip
    last = -(-max(0, layout.floor) // strip)
    return min(first, strips), min(last, strips)


def _grouped(content: StackContent, scale: StackScale, first: int, last: int) -> tuple[Floats, Flags]:
    """Jobs per server and type, and membership of the Reject Group, of the strips *first* to *last* - 1."""
    servers = slice(first * scale.group, min(last * scale.group, len(content.jobs)))
    jobs = content.jobs[servers].astype(np.float64)
    reserved = content.reserved[servers]
    if scale.group == 1 or not len(jobs):
        return jobs, reserved
    starts = np.arange(0, len(jobs), scale.group)
    sizes = np.diff(np.append(starts, len(jobs)))
    return (
        np.add.reduceat(jobs, starts, axis=0) / sizes[:, None],
        # A strip counts as in the Reject Group only if all its servers are.
        np.logical_and.reduceat(reserved, starts),
    )


def _changed(old: _Shown, now: _Shown) -> npt.NDArray[np.intp]:
    common = min(len(old.jobs), len(now.jobs))
    differs = np.ones(len(now.jobs), np.bool_)
    differs[:common] = (old.jobs[:common] != now.jobs[:common]).any(axis=1)
    differs[:common] |= old.reserved[:common] != now.reserved[:common]
    return np.flatnonzero(differs)
