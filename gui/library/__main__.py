"""The program's entry point: opens the window by default, or runs a command without a window.

Heavy modules are imported only once the command is known, so that the window appears quickly.
"""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Sequence

from slotscope.model.cli.arguments import COMMANDS, parse
from slotscope.model.cli.guard import guarded, note
from slotscope.model.errors import UntrustedPolicyError, UserError
from slotscope.model.phrase import ENGLISH

if TYPE_CHECKING:
    from slotscope.model.lab.results import Figure

#: Folder where a start without a display writes what the window would have shown.
FIRST_RUN = Path("slotscope-first-run")

#: Threshold of the garbage collector, in net allocated objects, for commands; Python's default is 700, but the objects
#: that a start imports are not garbage.
OBJECTS_UNSEEN = 50_000

#: Commands that export a run or a moment, and the modules that carry them out.
SHARED = {
    "film": "slotscope.gui.film.command",
    "export-html": "slotscope.gui.page.command",
    "handout": "slotscope.gui.sharing.command",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with *argv* (by default the process's own); returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: dispatch(parse(arguments)), arguments)


def dispatch(options: argparse.Namespace) -> int:
    """Carry out the parsed command; returns the exit code.

    Raises
    ------
    UserError
        If the input is invalid; one line that says why.
    """
    if options.command == "window":
        return window(options)
    if options.command == "lesson":
        return lesson(options)
    if options.command == "screenshot":
        return screenshot(options)
    if options.command in SHARED:
        return shared(options)
    gc.set_threshold(OBJECTS_UNSEEN)
    module = import_module(COMMANDS[options.command])
    if options.command in {"reproduce", "sweep"}:
        return int(module.execute(options, draw))
    if options.command == "lessons":
        from slotscope.gui.panels import names_of

        return int(module.execute(options, names_of))
    return int(module.execute(options))


def window(options: argparse.Namespace) -> int:
    """Open the window; without a display, leave a screenshot and a summary instead."""
    from slotscope.gui.platform import require_platform

    platform = require_platform(os.environ)
    if not options.as_it_comes:
        from slotscope.model.cli.checking import check_scenario

        with suppress(UntrustedPolicyError):  # the window asks; without one, the policy is refused below
            check_scenario(options, asks=platform.display)
    if platform.plugin:
        os.environ["QT_QPA_PLATFORM"] = platform.plugin
    for warning in platform.warnings:
        note(warning)
    if not platform.display:
        return first_run(options, platform.no_display)
    if options.history or options.history_disk:
        from slotscope.model.running.keyframes import CHOSEN

        CHOSEN.memory, CHOSEN.disk = options.history or CHOSEN.memory, options.history_disk
    _read_no_sources()
    from slotscope.gui import app

    chosen = (options.scenario, options.policies, options.seed, options.event, tuple(options.trace))
    return app.main(*chosen, offer=options.as_it_comes, language=options.language)


def _read_no_sources() -> None:
    """Keep PySide from reading the source of the program's modules while the window imports them."""
    from slotscope.gui.window.application import leave_sources_unread

    leave_sources_unread()


def lesson(options: argparse.Namespace) -> int:
    """Open the window at a step of a lesson; without a display, write a screenshot of that moment instead."""
    from slotscope.gui.platform import require_platform
    from slotscope.model.lessons.files import find_lesson, load_lesson

    path = find_lesson(options.name)
    steps = load_lesson(path).steps
    if options.step > len(steps):
        raise UserError(f"found {options.step}, allowed: from 1 to {len(steps)}", where="--step")
    place = steps[options.step - 1].place(path.parent)
    platform = require_platform(os.environ)
    if not platform.display:
        place.check_files()
        return first_run(parse(shlex.split(place.line)[1:]), platform.no_display)
    if platform.plugin:
        os.environ["QT_QPA_PLATFORM"] = platform.plugin
    for warning in platform.warnings:
        note(warning)
    _read_no_sources()
    from slotscope.gui import app

    return app.main(place.origins[0].source, lesson=(path, options.step - 1), language=options.language)


def first_run(options: argparse.Namespace, reason: str) -> int:
    """Run the scenario without a display, and write what the window would have shown to ``FIRST_RUN``."""
    from slotscope.model.cli.first_run import write_summary

    note(f"no display ({reason}): running offscreen, results go to {FIRST_RUN}{os.sep}")
    summary, end = write_summary(options, FIRST_RUN)
    print(summary, flush=True)
    picture = FIRST_RUN / "screenshot.png"
    options.language = options.language or ENGLISH
    options.at = None if options.event is not None else end
    options.out, options.size, options.panel, options.theme = picture, (1600, 1000), None, "light"
    return screenshot(options)


def screenshot(options: argparse.Namespace) -> int:
    """Write a picture of the window at a given time or event, without a display."""
    from slotscope.model.cli.output import progress_of, stoppable

    with progress_of(f"screenshot {options.scenario}") as progress, stoppable(progress.say, []):
        said = _photograph(options)
    if said:
        note(said)
    print(options.out)
    return 0


def _photograph(options: argparse.Namespace) -> str | None:
    from slotscope.gui.platform import require_platform
    from slotscope.model.cli.checking import check_scenario

    check_scenario(options)
    os.environ["QT_QPA_PLATFORM"] = require_platform(os.environ, window=False).plugin
    from slotscope.gui import app

    return app.screenshot(
        options.scenario,
        options.policies,
        options.seed,
        tuple(options.trace),
        options.at,
        options.event,
        options.out,
        options.size,
        options.panel,
        options.theme,
        options.language,
    )


def shared(options: argparse.Namespace) -> int:
    """Export a film, an HTML page or a handout of a run, without a display."""
    from slotscope.gui.platform import require_platform

    os.environ["QT_QPA_PLATFORM"] = require_platform(os.environ, window=False).plugin
    return int(import_module(SHARED[options.command]).execute(options))


def draw(figure: Figure, path: Path) -> bool:
    """Save a figure of an experiment to *path*; returns False, with a note, if Qt cannot draw it."""
    from slotscope.gui.platform import check_platform

    platform = check_platform(os.environ, window=False)
    try:
        if platform.problem:
            raise ImportError(platform.problem)
        os.environ["QT_QPA_PLATFORM"] = platform.plugin
        from slotscope.gui.window.figure import save_figure
    except ImportError as error:
        note(f"no picture is drawn: {error}")
        return False
    save_figure(figure, path)
    return True


if __name__ == "__main__":
    sys.exit(main())
