"""Records a stretch of a run as plain data, from which a page plays it."""

from __future__ import annotations

import os
import shlex
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from slotscope.gui import theme as themes
from slotscope.gui.film.stage import panel_classes, show_at_rest
from slotscope.gui.intents import Select
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.page.vectors import Vectors
from slotscope.gui.panel import Panel
from slotscope.gui.panels.algorithm_values import Code, values_beside
from slotscope.gui.panels.wording import clock_text, event_told, sentence
from slotscope.gui.presenting.pad import mark_over
from slotscope.gui.running.searches import look_at
from slotscope.gui.sharing.command import Tell, bounds_of
from slotscope.gui.window.application import application, destroy
from slotscope.model.comparison.runs import Run, lanes_of, lanes_shown
from slotscope.model.errors import UserError
from slotscope.model.footage.footage import Footage, walk
from slotscope.model.lessons.marks import Mark
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.origin import Moment, Origin, opening_line
from slotscope.model.systems.state import digest

#: The themes that are recorded; the page shows one of them.
THEMES = ("light", "dark")

#: Maximum number of moments in a page.
MOST_MOMENTS = 5000

#: Width of the first panel by the number of policies, its height, and the size of further panels; in pixels.
_WIDTHS, _HEIGHT, _FURTHER = {1: 960, 2: 760, 3: 620}, 600, (640, 520)


class Dressing(NamedTuple):
    """What a page shows besides each policy's servers: further panels, a selection, and marks."""

    further: tuple[str, ...] = ()  #: names of panels
    selection: Select = Select()
    lane: int = 0  #: the policy in whose panels *selection* is outlined
    marks: tuple[Mark, ...] = ()


class _RecordedPanel(NamedTuple):
    """A panel that is recorded, its pictures, and the lane that it shows."""

    panel: Panel
    vectors: Vectors
    lane: int


def recorded(opened: Callable[[], Run], footage: Footage, dressing: Dressing, tell: Tell) -> dict[str, Any]:
    """Record a stretch of a run as data; *tell* gets the share done, and may raise an exception to end it.

    *opened* opens the run anew for each theme, since its panels may show nothing of the future.
    Raises UserError if the stretch is empty or too long, or if a panel is unknown or fails.
    """
    application(offscreen=True)
    frames: list[dict[str, Any]] = []
    words: dict[str, int] = {}
    shown: dict[str, list[_RecordedPanel]] = {}
    _check_length(footage)
    try:
        for number, name in enumerate(THEMES):
            run = opened()
            moments = _frames(run, footage, bounds_of(run), partial(_tell_half, tell, number))
            for place, (frame, numbers) in enumerate(_pictures(moments, name, dressing, shown)):
                if number == 0:
                    read = [words.setdefault(one.panel.described(), len(words)) for one in shown[name]]
                    frames.append({**_moment(frame), "words": read, "pictures": []})
                frames[place]["pictures"].append(numbers)
        return {**_described(run), "panels": list(_panels(shown)), "words": list(words), "frames": frames}
    finally:
        for one in chain(*shown.values()):
            destroy(one.panel)


def _tell_half(tell: Tell, finished: int, done: float) -> None:
    tell((finished + done) / len(THEMES))


def _check_length(footage: Footage) -> None:
    """Refuse a stretch that is certainly too long, before anything is drawn."""
    start, end = footage.start, footage.end
    if isinstance(start, Moment) and isinstance(end, Moment) and footage.by != "time":
        _refuse_beyond(end.events[0] - start.events[0] + 1)
    elif isinstance(start, float) and isinstance(end, float) and footage.by == "time":
        _refuse_beyond((end - start) / footage.every)


def _refuse_beyond(moments: float) -> None:
    if moments > MOST_MOMENTS:
        said = Phrase(
            "found a stretch of more than {most} moments, allowed: a shorter one, or one that goes event by event",
            most=MOST_MOMENTS,
        )
        raise UserError(said, where="--to")


def _frames(run: Run, footage: Footage, bounds: object, tell: Tell) -> Iterator[Frame]:
    for count, done in enumerate(walk(run, footage), 1):
        _refuse_beyond(count)
        look_at(run)
        tell(done)
        yield run.frame(bounds=bounds)


def _pictures(
    frames: Iterator[Frame], theme: str, dressing: Dressing, shown: dict[str, list[_RecordedPanel]]
) -> Iterator[tuple[Frame, list[int]]]:
    """Yield each moment with the numbers of its panels' pictures in a theme."""
    for frame in frames:
        if theme not in shown:
            shown[theme] = _staged(frame, theme, dressing)
        yield frame, [_picture(one, frame.lanes[one.lane]) for one in shown[theme]]
    for one in shown[theme]:
        one.panel.close()


def _staged(frame: Frame, theme: str, dressing: Dressing) -> list[_RecordedPanel]:
    """Create the panels in a theme, shown offscreen."""
    lanes, system = len(frame.lanes), frame.info.system
    names = dict.fromkeys((PANEL_ROOMS[system].roles.servers, *dressing.further))
    first, *others = panel_classes(system, tuple(names), lanes)
    look = themes.load_theme(theme)
    themes.apply(application(), look, lecture=True)
    places = [(first, lane, (_WIDTHS[lanes], _HEIGHT)) for lane in range(lanes)]
    places += [(panel, 0, _FURTHER) for panel in others]
    found = []
    for number, (panel, lane, size) in enumerate(places):
        one = _RecordedPanel(panel(look), Vectors(f"{theme[0]}{number}"), lane)
        one.panel.resize(*size)
        one.panel.show()
        _dress(one, dressing)
        found.append(one)
    return found


def _dress(one: _RecordedPanel, dressing: Dressing) -> None:
    if one.lane == dressing.lane:
        one.panel.set_selection(dressing.selection)
    mark_over(one.panel, one.lane, dressing.marks)


def _picture(one: _RecordedPanel, frame: Frame) -> int:
    one.panel.setUpdatesEnabled(False)
    show_at_rest(one.panel, frame)
    one.panel.setUpdatesEnabled(True)
    return one.vectors.add(one.panel)


def _described(run: Run) -> dict[str, Any]:
    """The constant part: the scenario, the policies with their pseudocode, and the line that opens a moment."""
    lanes = lanes_of(run)
    labels = [label for label, _ in lanes_shown(run)] or [run.info.policy_title]
    return {
        "scenario": run.info.scenario_name,
        "seed": run.info.seed,
        "line": _line([lane.origin for lane in lanes]),
        "lanes": [
            {"label": label, "code": _code(lane.info.pseudocode)} for label, lane in zip(labels, lanes, strict=True)
        ],
    }


def _line(origins: Sequence[Origin]) -> str:
    """The command that opens a moment, without its number, or an empty text; files are named without folders."""
    words = shlex.split(opening_line(origins, Moment((0,))).removesuffix("0"))
    names = [origins[0].source, *origins[0].trace, *(origin.policy for origin in origins)]
    for folder in {str(Path(name.partition(".py")[0]).absolute().parent) for name in names}:
        words = [word.replace(f"{folder}{os.sep}", "") for word in words]
    return f"{shlex.join(words)} " if words else ""


def _code(lines: Sequence[Any]) -> list[dict[str, Any]]:
    """The lines of pseudocode; where an algorithm begins, the line has its heading."""
    code = Code(lines)
    several = len({line.line.algorithm for line in code.lines}) > 1
    found, before = [], None
    for line in code.lines:
        head = code.heading(line.line.algorithm) if several and line.line.algorithm != before else ""
        before = line.line.algorithm
        found.append(
            {
                "number": line.line.number,
                "indent": line.indent,
                "text": line.text,
                "head": head,
                "printed": line.printed,
            }
        )
    return found


def _moment(frame: Frame) -> dict[str, Any]:
    """The data of one moment."""
    inside = next((lane for lane, part in enumerate(frame.lanes) if part.records), 0)
    moment = frame.lanes[inside]
    return {
        "event": ",".join(str(part.event) for part in frame.lanes),
        "where": event_told(moment)
        if moment.records
        else f"event {', '.join(grouped(part.event) for part in frame.lanes)}",
        "moment": str(frame.moment),
        "substep": len(moment.records),
        "time": clock_text(frame.info, frame.time),
        "lanes": [_lane(part) for part in frame.lanes],
    }


def _lane(frame: Frame) -> dict[str, Any]:
    """The data of one lane: sentence, current line of pseudocode, values beside lines, digest of the state."""
    records, code = frame.records or frame.last_records, Code(frame.info.pseudocode)
    line = code.current(records)
    beside = values_beside(code, records, frame.info)
    return {
        "said": sentence(frame),
        "line": -1 if line is None else code.place.get(line, -1),
        "values": {
            str(code.place[line]): [[item.text, int(item.fresh)] for item in items.values()]
            for line, items in beside.items()
            if items
        },
        "digest": digest(frame.state),
    }


def _panels(shown: dict[str, list[_RecordedPanel]]) -> Iterator[dict[str, Any]]:
    """The data of each panel, with its pictures in every theme."""
    for themed in zip(*shown.values(), strict=True):
        panel = themed[0].panel
        entry: dict[str, Any] = {"name": panel.name, "title": panel.title, "lane": themed[0].lane}
        entry["tells"] = sorted(panel.tells)
        entry |= {"width": panel.width(), "height": panel.height()}
        yield {**entry, "themes": [_vectors(one.vectors) for one in themed]}


def _vectors(vectors: Vectors) -> dict[str, Any]:
    return {
        "parts": vectors.parts,
        "definitions": vectors.definitions,
        "colours": vectors.tiles.colours,
        "tiles": vectors.tiles.packed(),
        "pictures": vectors.pictures,
    }
