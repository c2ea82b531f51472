"""Test cases for each picture of servers: layouts, frames, and positions of servers and jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.servers import MoldableServersPanel
from slotscope.gui.kinds.moldable.servers_layout import MoldableWishes
from slotscope.gui.kinds.moldable.servers_layout import fitting_servers as fitting_pools
from slotscope.gui.kinds.phases.servers import PhaseServersPanel
from slotscope.gui.kinds.phases.servers_layout import PhaseWishes
from slotscope.gui.kinds.phases.servers_layout import fitting_servers as fitting_phases
from slotscope.gui.kinds.phases.servers_sections import ServerPlace
from slotscope.gui.kinds.queue.bins import ServerBinsPanel
from slotscope.gui.kinds.queue.bins_layout import BinWishes, fitting_bins
from slotscope.gui.pictures.layout import CellLayout
from slotscope.gui.pictures.picture import PicturePanel
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import pixels
from tests.kinds.moldable.gui import servers_views as moldable
from tests.kinds.phases.gui import servers_views as phases
from tests.kinds.queue.gui import bins_views as queue
from tests.kinds.reservation.gui.servers_views import LIGHT

Layout = CellLayout[Any, Any]


@dataclass(frozen=True)
class ServersPicture:
    """The test case of one kind's picture.

    Attributes
    ----------
    wishes:
        Makes the wishes for a number of servers, with one or two device pixels per line of a texture.
    fitting:
        Computes the layout from wishes, width and height.
    most:
        Largest number of servers for which there are enough pixels.
    few, many:
        A frame with some servers and jobs of all sorts on them, and one with hundreds of servers.
    session:
        A run whose events change the picture, but not the layout.
    rect:
        The rectangle of a server in a scene.
    jobs:
        For each selectable job in a scene: its rectangles, its record and its number.
    told:
        A text that a saved picture contains.
    """

    panel: type[PicturePanel]
    wishes: Callable[[int, int], Any]
    fitting: Callable[[Any, int, int], Layout]
    most: int
    few: Callable[[], Frame]
    many: Callable[[], Frame]
    session: Callable[[], Session]
    rect: Callable[[Any, int], QRectF]
    jobs: Callable[[Any], list[tuple[list[QRectF], int, int]]]
    told: str


def moldable_wishes(count: int, scale: int, sections: int = 1) -> MoldableWishes:
    """A pool of *count* servers, and further, smaller ones."""
    return moldable.wishes(tuple(max(1, count // (1 + n)) for n in range(sections)), scale)


def phase_wishes(count: int, scale: int, sections: int = 2, resources: int = 1) -> PhaseWishes:
    """Pools, followed by backup servers."""
    counts = [max(1, count // (1 + n)) for n in range(sections)]
    return phases.wishes((*counts[:-1], max(1, counts[-1] // 9)), resources, scale=scale)


def bin_wishes(count: int, scale: int, resources: int = 1, pooled: bool = False) -> BinWishes:
    """Servers of one size, or of three sizes."""
    return queue.wishes(count, resources, True, scale, pooled)


def captioned(wishes: Any, brief: int) -> Any:
    """The same wishes with captions that may be placed beside the servers."""
    return replace(wishes, brief=brief)


#: Widths of short captions; without a short caption (0) the caption is above the servers at any height.
BRIEF = st.sampled_from([0, 40, 160])
WISHES = {
    "moldable": st.builds(
        captioned, st.builds(moldable_wishes, st.integers(1, 3000), st.sampled_from([1, 2]), st.integers(1, 4)), BRIEF
    ),
    "phases": st.builds(
        captioned,
        st.builds(phase_wishes, st.integers(1, 1500), st.sampled_from([1, 2]), st.integers(1, 4), st.integers(1, 3)),
        BRIEF,
    ),
    "queue": st.builds(bin_wishes, st.integers(1, 3000), st.sampled_from([1, 2]), st.integers(1, 3), st.booleans()),
}


def _moldable_jobs(scene: Any) -> list[tuple[list[QRectF], int, int]]:
    return [
        ([strip.rect for strip in pieces[0]], record, int(scene.state.job_number[record]))
        for record in moldable.records_of(scene.state)
        if len(pieces := scene.job_strips(record)) == 1  # lines between a job's pieces cross other jobs
    ]


def _phase_jobs(scene: Any) -> list[tuple[list[QRectF], int, int]]:
    return [
        (scene.job_rects(record), record, int(scene.state.job_number[record]))
        for record in phases.records_of(scene.state)
        if not scene.state.job_virtual[record] and scene.state.job_server[record] >= 0
    ]


def _queue_jobs(scene: Any) -> list[tuple[list[QRectF], int, int]]:
    resources = range(scene.numbers.resources)
    return [
        ([scene.rect(scene.block_box(block, d)) for d in resources], record, int(scene.state.job_number[record]))
        for block, record in enumerate(scene.blocks.record.tolist())
    ]


PICTURES = {
    "moldable": ServersPicture(
        panel=MoldableServersPanel,
        wishes=moldable_wishes,
        fitting=fitting_pools,
        most=60_000,
        few=cache(lambda: moldable.filled(moldable.Made("moldable-classes", 60)).frame(1.0)),
        many=cache(lambda: moldable.filled(moldable.Made(servers=300)).frame(1.0)),
        session=lambda: moldable.run("moldable-classes", 300, servers=60),
        rect=moldable.server_rect,
        jobs=_moldable_jobs,
        told="Reserved for analysis",
    ),
    "phases": ServersPicture(
        panel=PhaseServersPanel,
        wishes=phase_wishes,
        fitting=fitting_phases,
        most=6000,
        few=cache(lambda: phases.filled(phases.Made()).frame()),
        many=cache(lambda: phases.filled(phases.Made("jrs-fixed-sizes")).frame()),
        session=lambda: phases.run("jrs-fixed-sizes", 300),
        rect=lambda scene, server: phases.server_rect(scene, ServerPlace(server)),
        jobs=_phase_jobs,
        told="Normal servers",
    ),
    "queue": ServersPicture(
        panel=ServerBinsPanel,
        wishes=bin_wishes,
        fitting=fitting_bins,
        most=20_000,
        few=cache(lambda: queue.run("queues-two-resources", 300).frame(running=True)),
        many=cache(lambda: queue.filled(queue.run("queues-pools", servers=300).frame(running=True))),
        session=lambda: queue.run("queues-wide-jobs", 100, servers=40),
        rect=lambda scene, server: scene.server_rect(server),
        jobs=_queue_jobs,
        told="server 1",
    ),
}


def server_of(hit: Any) -> int:
    """The server at the position of a hit."""
    return int(getattr(hit, "place", hit).server)


def servers_of(frame: Frame) -> range:
    """The numbers of the servers with a fixed place, that is without backup servers."""
    return range(
        frame.info.facts.normal_servers if hasattr(frame.info.facts, "normal_servers") else frame.info.numbers.servers
    )


def pairs(layout: Layout) -> list[tuple[int, int]]:
    """Some servers of each section, including the first and the last."""
    return [
        (section, index)
        for section, grid in enumerate(layout.grids)
        for index in sorted({*range(0, grid.count, max(1, grid.count // 40)), grid.count - 1})
    ]


def outside(changed: np.ndarray, rects: list[QRectF], reach: float = 8) -> np.ndarray:
    """The changed pixels [n, 2], row and column, that are not near any of the rectangles."""
    y, x = changed.T
    around = [rect.adjusted(-reach, -reach, reach, reach) for rect in rects]
    near = [(x >= one.left()) & (x < one.right()) & (y >= one.top()) & (y < one.bottom()) for one in around]
    return changed[~np.any(near, axis=0)]


def main() -> None:
    """Assert that with two device pixels per point jobs are found and outlined at the right place."""
    application = QApplication([])
    for name, picture in PICTURES.items():
        panel = picture.panel(LIGHT)
        panel.resize(900, 600)
        panel.show()
        panel.set_frame(picture.few())
        ratio = panel.devicePixelRatioF()
        assert ratio == 2
        plain, scene = pixels(panel), panel.view.scene
        assert plain.shape == (1200, 1800)
        for rects, record, number in picture.jobs(scene)[:8]:
            for rect in rects:
                assert rect.height() < 1 or scene.at(rect.center()).record == record, name
            panel.set_selection(Select(job=number))
            changed = np.argwhere(pixels(panel) != plain) / ratio
            assert len(changed), name
            assert not len(outside(changed, rects)), name
        server = servers_of(picture.few())[-1]
        point = picture.rect(scene, server).center()
        panel.view.zoom(3.0, point)
        assert server_of(panel.view.scene.at(point)) == server, name
        panel.close()
    application.quit()


if __name__ == "__main__":
    main()
