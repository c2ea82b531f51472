"""Films a stretch of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

from slotscope.gui import theme as themes
from slotscope.gui.application import application
from slotscope.gui.film.stage import Stage, panels_in_lecture
from slotscope.gui.film.writers import RATE, Writer, writer_for
from slotscope.gui.searches import look_at
from slotscope.model.comparison.comparison import Run, lanes_shown
from slotscope.model.footage.stretch import By, Stretch, walk
from slotscope.model.frame import Frame

#: Moments a second, where nobody says.
_USUAL_PACE: dict[By, float] = {"substep": 1.0, "event": 2.0}

#: Panels that show nothing of the scenario's programs.
_WITHOUT_BOUNDS = frozenset({"algorithm", "decisions"})


class Looks(NamedTuple):
    """How a film looks: its panels (none: those of lecture mode), its size in pixels, its theme, and its pace."""

    panels: tuple[str, ...] = ()
    size: tuple[int, int] = (1280, 720)
    theme: str = "light"
    pace: float | None = None


def shoot(run: Run, stretch: Stretch, looks: Looks, path: Path, tell: Callable[[float], None]) -> int:
    """Film a stretch; returns how many moments there are.

    *tell* takes how much is done, and may raise what ends it.

    Raises
    ------
    UserError
        If the stretch is none, a panel is unknown or fails, or the film cannot be written.
    """
    application(offscreen=True)
    pace = looks.pace or _USUAL_PACE.get(stretch.by) or run.info.usual_pace
    if stretch.by == "time":
        stretch, pace = stretch._replace(every=pace / RATE), RATE
    with writer_for(path) as writer:
        return _shoot(run, stretch, looks, writer, 1.0 / pace, tell)


def _shoot(
    run: Run, stretch: Stretch, looks: Looks, writer: Writer, seconds: float, tell: Callable[[float], None]
) -> int:
    stage: Stage | None = None
    theme, bounds, count = themes.load_theme(looks.theme), bounds_of(run), 0
    try:
        for done in walk(run, stretch):
            look_at(run)
            frame = run.frame(bounds=bounds)
            if stage is None:
                labels = [label for label, _ in lanes_shown(run)]
                stage = Stage(frame, labels, looks.panels or panels_in_lecture(run.info.system), theme, looks.size)
            stage.show_frame(frame)
            _take(stage, frame, writer, seconds)
            count += 1
            tell(done)
    finally:
        if stage is not None:
            stage.close()
            stage.deleteLater()
    return count


def bounds_of(run: Run) -> object:
    """What the programs of the scenario give, for the panels that show it."""
    *_, bounds = run.bench.kind.all_bounds(run.info.scenario)
    return bounds


def _take(stage: Stage, frame: Frame, writer: Writer, seconds: float) -> None:
    """The pictures of a moment: what moves on the way there, as far as there is time, and the moment at rest."""
    each = 1.0 / RATE
    if not writer.moves or seconds < 2 * each:
        stage.come_to_rest()
        writer.add(stage.picture(), seconds, frame.opening_line)
        return
    *moving, last = stage.pictures(1000 * each)
    for picture in moving:
        writer.add(picture, each, "")
    writer.add(last, max(each, seconds - each * len(moving)), frame.opening_line)
