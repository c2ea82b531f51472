"""``slotscope export-html``: one HTML file that plays a stretch of a run, or a lesson, in any browser.

The file contains the recorded data, compressed, and the player's script.

For a lesson, each step is recorded with what follows it, its question, and the verdict of each answer.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import json
import re
import zlib
from functools import partial
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from slotscope.gui import theme as themes
from slotscope.gui.intents import Select
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.page.recording import THEMES, Dressing, recorded
from slotscope.gui.page.vectors import in_letters
from slotscope.gui.panels import SENTENCES, names_of
from slotscope.gui.sharing.command import Tell, carry_out, run_of
from slotscope.gui.widgets.scripts import paragraphs, set_scripts
from slotscope.model.cli.parser import UsageError
from slotscope.model.comparison.runs import Run, lanes_of, stand_at
from slotscope.model.draft import write_text
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Posed, Sketch, told, verdict
from slotscope.model.exercises.posing import NEAR, pose
from slotscope.model.footage.footage import FEW_EVENTS, Footage, Place, usual_by
from slotscope.model.lessons.files import find_lesson, load_lesson, marks_of
from slotscope.model.lessons.lesson import Lesson, Step
from slotscope.model.reporting.inspection import JOB, SERVER
from slotscope.model.running.origin import Moment
from slotscope.model.running.timeline import AT_HAND

#: If a question has no list of answers, the numbers below this are graded.
_NUMBERS = 400

#: Moments recorded between now and the time that a question asks about.
_UNTIL_THEN = 40

#: Maximum number of points of the known part of a curve that is to be drawn on.
_KNOWN = 200


def lesson_data(name: str, only: int | None, further: Sequence[str], tell: Tell) -> dict[str, Any]:
    """The data of a page for a lesson, or for one of its steps, *only*, counted from 1.

    Raises UserError if there is no such lesson or step, or if the moment of a step cannot be opened.
    """
    path = find_lesson(name)
    lesson = load_lesson(path)
    count = len(lesson.steps)
    if only is not None and not 1 <= only <= count:
        raise UserError(f"found {only}, allowed: from 1 to {count}", where="--step")
    numbers = range(count) if only is None else [only - 1]
    chapters = []
    for done, number in enumerate(numbers):
        chapters.append(_chapter(lesson, number, path.parent, further, partial(_tell_part, tell, done, len(numbers))))
    return {"title": lesson.title, "chapters": chapters}


def _tell_part(tell: Tell, finished: int, all_: int, done: float) -> None:
    tell((finished + done) / all_)


def _chapter(lesson: Lesson, number: int, folder: Path, further: Sequence[str], tell: Tell) -> dict[str, Any]:
    step = lesson.steps[number]
    place = step.place(folder)
    opened = partial(place.open, kernel=max(place.moment.events) > AT_HAND or _looks_far(step))
    run = opened()
    stand_at(run, place.moment)
    asked, end = None, _end(lesson, number, folder)
    if step.question is not None:
        posed = pose(run, step.question, step.policy - 1)
        asked = _question(posed)
        if step.question.until is not None:
            end = step.question.until
    footage = Footage(place.moment, end, "substep")
    if isinstance(end, float):
        footage = footage._replace(by="time", every=(end - run.timeline.time) / _UNTIL_THEN)
    outlined = Select(step.outlined(SERVER), step.outlined(JOB))
    dressing = Dressing(_panels(run, step, further), outlined, step.policy - 1, step.marks)
    data = recorded(opened, footage, dressing, tell)
    if asked is not None:
        asked["decided"] = _decided(run, data["frames"], posed, place.moment, step)
    return {"text": "".join(f"<p>{part}</p>" for part in paragraphs(step.text)), "question": asked, **data}


def _looks_far(step: Step) -> bool:
    """Whether the step's question is answered by what happens until a given time."""
    return step.question is not None and isinstance(step.question.until, float)


def _panels(run: Run, step: Step, further: Sequence[str]) -> tuple[str, ...]:
    """The step's panels and *further* ones, without those a page always shows: servers, pseudocode, sentences."""
    there = {PANEL_ROOMS[run.info.system].roles.servers, "algorithm", SENTENCES}
    known = names_of(run.info.system)
    return tuple(name for name in dict.fromkeys((*step.panels, *further)) if name in known and name not in there)


def _end(lesson: Lesson, number: int, folder: Path) -> Place:
    """Where a step's recording ends: at the next step's moment if that is near, else at the end of the event."""
    here = lesson.steps[number].place(folder)
    if number + 1 < len(lesson.steps):
        there = lesson.steps[number + 1].place(folder)
        on = there.moment.events[0] - here.moment.events[0]
        later = (on, there.moment.substep) > (0, here.moment.substep)
        if there.origins == here.origins and there.moment.lane == here.moment.lane and on <= FEW_EVENTS and later:
            return there.moment
    return Moment((here.moment.events[0] + 1,))


def _decided(run: Run, frames: Sequence[dict[str, Any]], posed: Posed, moment: Moment, step: Step) -> int:
    """The index of the frame at which the policy has answered the question."""
    if _looks_far(step):
        return len(frames) - 1
    lane = step.policy - 1 if len(lanes_of(run)) > 1 else 0
    event = moment.events[min(lane, len(moment.events) - 1)]
    wanted = [event, posed.decided] if posed.decided else [event + 1, 0]
    found = (n for n, frame in enumerate(frames) if [int(frame["event"].split(",")[lane]), frame["substep"]] == wanted)
    return next(found, len(frames) - 1)


def _question(posed: Posed) -> dict[str, Any]:
    """The question; for each possible answer, whether it is right and why."""
    answers = _answers(posed)
    few = _few(posed) if answers else ()
    return {
        "words": set_scripts(posed.words),
        "allowed": posed.allowed,
        "options": list(few),
        "answers": answers,
        "sketch": None if posed.sketch is None else _sketch(posed.sketch),
        "veils": posed.veils,
        "taken": "as it is drawn now" if posed.sketch is not None else posed.taken,
        "reason": told(posed),
    }


def _sketch(sketch: Sketch) -> dict[str, Any]:
    """The curve to be drawn: its known part, at most ``_KNOWN`` points, and the right continuation."""
    seen = np.unique(np.linspace(0, max(0, len(sketch.times) - 1), _KNOWN).round().astype(int))[: len(sketch.times)]
    curves = {
        "times": sketch.times[seen],
        "values": sketch.values[seen],
        "wanted": sketch.wanted,
        "right": sketch.right,
    }
    rounded = {name: [float(f"{value:.5g}") for value in curve] for name, curve in curves.items()}
    return {**rounded, "scale": sketch.scale, "near": NEAR, "top": sketch.top}


def _few(posed: Posed) -> tuple[str, ...]:
    """The answers offered for choice; none if there is only one, as answers are then typed."""
    return posed.options if len(posed.options) > 1 else ()


def _answers(posed: Posed) -> dict[str, list[Any]]:
    """The verdict of each answer; empty if the answers cannot be enumerated."""
    found: dict[str, list[Any]] = {}
    if posed.sketch is not None:
        return found
    tried = _few(posed) or ("none", *map(str, range(_NUMBERS)))
    for text in tried:
        try:
            answer = posed.read(text)
            graded = verdict(posed, text)
        except UserError:
            continue
        found.setdefault(answer, [int(graded.right), graded.text])
    return found if posed.taken in found else {}


_PLAYER = Path(__file__).resolve().parents[2] / "resources" / "player"

#: The colours of a theme that the page itself uses.
_COLOURS = ("window", "panel", "raised", "normal", "muted", "border", "selection", "focus", "rejection", "greedy")


def page_text(data: dict[str, Any]) -> str:
    """The HTML page that plays *data*; its content security policy allows only its own script, and loads nothing."""
    script = (_PLAYER / "player.js").read_text("utf-8")
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "TITLE": html.escape(data["title"]),
        "ALLOWED": allowed,
        "COLOURS": _colours(),
        "STYLE": (_PLAYER / "player.css").read_text("utf-8"),
        "DATA": packed(data),
        "SCRIPT": script,
    }
    text = (_PLAYER / "player.html").read_text("utf-8")
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], text)


def packed(data: dict[str, Any]) -> str:
    """Data as JSON, deflated and encoded in base 64."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return in_letters(text.encode())


def unpacked(page: str) -> dict[str, Any]:
    """The data inside a page."""
    _, _, rest = page.partition('<script type="text/plain" id="data">')
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(rest.partition("</script>")[0])))
    return found


def write_page(data: dict[str, Any], path: Path) -> None:
    """Write the page that plays *data*. Raises UserError if the file cannot be written."""
    text = page_text(data)
    write_text(path, text)


def _colours() -> str:
    """The colours of both themes as CSS rules."""
    rules = []
    for name in THEMES:
        theme = themes.load_theme(name)
        rules.append(f':root[data-theme="{name}"]{{color-scheme:{name};')
        rules += [f"--{colour}:{getattr(theme, colour)};" for colour in _COLOURS]
        rules.append("}")
    return "".join(rules)


def execute(options: argparse.Namespace) -> int:
    """Write the page that the command line names."""
    if (options.lesson is None) == (options.scenario is None):
        raise UsageError("found no scenario, or a lesson beside it; allowed: one of them", where="export-html")

    def make(tell: Tell) -> dict[str, Any]:
        write_page(_played(options, tell) if options.lesson is None else _lesson(options, tell), options.out)
        return {"bytes": options.out.stat().st_size}

    return carry_out(options, options.lesson or options.scenario, make)


def _lesson(options: argparse.Namespace, tell: Tell) -> dict[str, object]:
    if (options.start, options.end, options.by) != (None, None, None):
        raise UsageError("found --from, --to or --by, allowed: without --lesson", where="--lesson")
    if options.policies or options.trace or options.seed is not None or options.marks:
        raise UsageError("found --policy, --seed, --trace or --marks, allowed: without --lesson", where="--lesson")
    return lesson_data(options.lesson, options.step, options.panel, tell)


def _played(options: argparse.Namespace, tell: Tell) -> dict[str, object]:
    if options.step is not None:
        raise UsageError("found no lesson, allowed: with --lesson", where="--step")
    if None in (options.start, options.end):
        raise UsageError("found no --from or no --to, allowed: both", where="export-html")
    footage = Footage(options.start, options.end, options.by or usual_by(options.start, options.end))
    dressing = Dressing(tuple(options.panel), marks=marks_of(options.marks))
    chapter = recorded(lambda: run_of(options, options.end), footage, dressing, tell)
    lanes = ", ".join(lane["label"] for lane in chapter["lanes"])
    return {"title": f"{chapter['scenario']}: {lanes}", "chapters": [{"text": "", **chapter}]}
