"""Every panel looks as in its reference pictures, in every size and theme."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPainter

from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.kinds.reservation.servers import ServersPanel
from slotscope.gui.panel import Panel
from slotscope.gui.theme import Theme, apply, load_theme
from slotscope.gui.window.application import application
from tests.contract.moments import SMALL, frame_of
from tests.contract.pictures import (
    EVERY,
    FONT,
    RECORD,
    Grid,
    difference,
    drawn,
    grid_of,
    has_font,
    known,
    labels,
    one_font,
    packed,
    pictures,
    unpacked,
)


@pytest.fixture(scope="module", autouse=True)
def font(qapp: object) -> Iterator[None]:
    if not has_font():
        pytest.skip(f"the pictures are drawn in {FONT}, which is not on this machine")
    with one_font():
        yield


def test_the_table_has_every_picture() -> None:
    assert {*known()} == {label for entry in EVERY for label in labels(entry)}


@pytest.mark.slow
@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.cls)
def test_a_panel_looks_as_ever(entry: PanelEntry, tmp_path: Path) -> None:
    expected, changed = known(), []
    for label, image in zip(labels(entry), pictures(entry), strict=True):
        if told := difference(grid_of(image), unpacked(expected[label])):
            path = tmp_path / f"{label}.png"
            image.save(str(path))
            changed.append(f"{label}: {told}; see {path}")
    assert not changed, "\n".join([*changed, f"if that is meant: {RECORD}"])


# Changes that the comparison of pictures must detect.


def small_servers(theme: Theme, panel: type[Panel] = ServersPanel) -> QImage:
    apply(application(offscreen=True), theme)
    made = panel(theme)
    image = list(islice(drawn(made, frame_of(SMALL["reservation"])), 2))[1]
    made.close()
    return image


@pytest.fixture(scope="module")
def usual() -> Grid:
    return unpacked(known()["servers reservation light 560 x 420"])


class Blank(ServersPanel):
    def show_frame(self, frame: object) -> None:
        """Draw nothing."""


def test_a_panel_that_draws_nothing_is_noticed(usual: Grid) -> None:
    assert not difference(grid_of(small_servers(load_theme("light"))), usual)
    assert difference(grid_of(small_servers(load_theme("light"), Blank)), usual)


def test_no_picture_is_empty() -> None:
    for label, text in known().items():
        grid = unpacked(text)
        assert difference(grid * 0 + grid[0, -1], grid), label


def test_two_swapped_colours_are_noticed(usual: Grid) -> None:
    light = load_theme("light")
    first, second, *others = light.types
    assert difference(grid_of(small_servers(replace(light, types=(second, first, *others)))), usual)


@pytest.mark.parametrize("aside", [-10, 10])
def test_a_shifted_legend_is_noticed(usual: Grid, aside: int) -> None:
    image = small_servers(load_theme("light"))
    legend = image.copy(0, image.height() - 50, image.width(), 50)
    painter = QPainter(image)
    painter.drawImage(aside, image.height() - 50, legend)
    painter.end()
    assert difference(grid_of(image), usual)


def test_a_grid_is_kept_as_text(usual: Grid) -> None:
    assert (unpacked(packed(usual)) == usual).all()
