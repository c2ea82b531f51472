"""``slotscope film``: record a stretch of a run as a film, without a display."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Callable, NamedTuple

from slotscope.gui import theme as themes
from slotscope.gui.film.stage import FilmStage, panels_in_lecture
from slotscope.gui.film.writers import RATE, Writer, writer_for
from slotscope.gui.running.searches import look_at
from slotscope.gui.sharing.command import Tell, bounds_of, carry_out, run_of
from slotscope.gui.widgets.motion import come_to_rest
from slotscope.gui.window.application import application, destroy
from slotscope.model.comparison.runs import Run, lanes_shown
from slotscope.model.errors import UserError
from slotscope.model.footage.footage import By, Footage, usual_by, walk
from slotscope.model.lessons.files import marks_of
from slotscope.model.lessons.marks import Mark
from slotscope.model.reporting.frame import Frame

#: Default pace in moments per second.
_USUAL_PACE: dict[By, float] = {"substep": 1.0, "event": 2.0}

#: Minimum pace in moments per second: a film can be stopped only between two moments, so the next one must come.
_SLOWEST = 0.01


class Looks(NamedTuple):
    """How a film looks: panels (none: those of lecture mode), size in pixels, theme, pace, and marks on the panels."""

    panels: tuple[str, ...] = ()
    size: tuple[int, int] = (1280, 720)
    theme: str = "light"
    pace: float | None = None
    marks: tuple[Mark, ...] = ()


def shoot(run: Run, footage: Footage, looks: Looks, path: Path, tell: Callable[[float], None]) -> int:
    """Film a stretch of a run; returns the number of moments.

    *tell* gets the share done, and may raise an exception to end it.
    Raises UserError if the stretch is empty, a panel is unknown or fails, or the film cannot be written.
    """
    if looks.pace is not None and footage.by != "time" and looks.pace < _SLOWEST:
        allowed = f"at least {_SLOWEST:g} moments a second"
        raise UserError(f"found {looks.pace:g}, allowed: {allowed}", where="--pace")
    application(offscreen=True)
    pace = looks.pace or _USUAL_PACE.get(footage.by) or run.info.usual_pace
    if footage.by == "time":
        footage, pace = footage._replace(every=pace / RATE), RATE
    with writer_for(path) as writer:
        return _shoot(run, footage, looks, writer, 1.0 / pace, tell)


def _shoot(
    run: Run, footage: Footage, looks: Looks, writer: Writer, seconds: float, tell: Callable[[float], None]
) -> int:
    stage: FilmStage | None = None
    theme, bounds, count = themes.load_theme(looks.theme), bounds_of(run), 0
    try:
        for done in walk(run, footage):
            look_at(run)
            frame = run.frame(bounds=bounds)
            if stage is None:
                labels = [label for label, _ in lanes_shown(run)]
                stage = FilmStage(
                    frame,
                    labels,
                    looks.panels or panels_in_lecture(run.info.system, len(frame.lanes)),
                    theme,
                    looks.size,
                    looks.marks,
                )
            stage.show_frame(frame)
            _take(stage, frame, writer, seconds)
            count += 1
            tell(done)
    finally:
        if stage is not None:
            destroy(stage)
    return count


def _take(stage: FilmStage, frame: Frame, writer: Writer, seconds: float) -> None:
    """Write a moment: the animation towards it, as far as its *seconds* allow, then the final picture."""
    each = 1.0 / RATE
    if not writer.moves or seconds < 2 * each:
        come_to_rest(stage)
        writer.add(stage.picture(), seconds, frame.opening_line)
        return
    *moving, last = stage.pictures(1000 * each)
    for picture in moving:
        writer.add(picture, each, "")
    writer.add(last, max(each, seconds - each * len(moving)), frame.opening_line)


def execute(options: argparse.Namespace) -> int:
    """Film the run that the command line names."""
    footage = Footage(options.start, options.end, options.by or usual_by(options.start, options.end))
    looks = Looks(tuple(options.panel), options.size, options.theme, options.pace, marks_of(options.marks))

    def make(tell: Tell) -> dict[str, Any]:
        return {"moments": shoot(run_of(options, options.end), footage, looks, options.out, tell)}

    return carry_out(options, options.scenario, make)
