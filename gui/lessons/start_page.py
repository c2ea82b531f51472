"""The page that lists all lessons by kind of system, each with what it teaches, and the scenarios."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import Callable

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.language.words import spoken, tr
from slotscope.gui.lessons.strip import TOUR
from slotscope.gui.widgets.boxes import check_box
from slotscope.gui.window.dialogs import show_sheet
from slotscope.gui.window.manual import PAGES
from slotscope.model.lessons.files import lesson_files, load_lesson
from slotscope.model.scenario.load import load_scenario, scenario_titles

#: The settings key of whether the page is shown at a start without a scenario.
AT_START = "start-page"

#: Prefixes of links; the name of the lesson or scenario follows.
_LESSON, _SCENARIO = "lesson:", "scenario:"


def show_start_page(
    window: QWidget, settings: QSettings, open_lesson: Callable[[str], object], open_scenario: Callable[[str], object]
) -> QDialog:
    """Show the page; a click on a lesson or scenario opens it and closes the page."""
    dialog = show_sheet(window, "Lessons", _tour() + _lessons() + _scenarios(), html=True)
    browser = dialog.findChild(QTextBrowser)
    assert isinstance(browser, QTextBrowser)

    def follow(link: str) -> None:
        if link.startswith(_LESSON):
            open_lesson(link.removeprefix(_LESSON))
        else:
            open_scenario(link.removeprefix(_SCENARIO))
        dialog.close()

    browser.anchorClicked.connect(lambda url: follow(url.toString()))
    always = check_box(tr("Show this page when slotscope starts"))
    always.setChecked(shown_at_start(settings))
    always.toggled.connect(lambda on: settings.setValue(AT_START, "yes" if on else "no"))
    layout = dialog.layout()
    assert layout is not None
    layout.addWidget(always)
    return dialog


def shown_at_start(settings: QSettings) -> bool:
    """Whether the page is wanted at a start without a scenario."""
    return str(settings.value(AT_START, "yes")) == "yes"


def _tour() -> str:
    tour = load_lesson(lesson_files()[TOUR], spoken())
    return f"<h2>{tr('New here?')}</h2>{_listed([(f'{_LESSON}{TOUR}', tour.title, tour.learn)])}"


def _lessons() -> str:
    found = []
    for name, path in lesson_files().items():
        if name == TOUR:
            continue
        lesson = load_lesson(path, spoken())
        source = lesson.steps[0].place(path.parent).origins[0].source
        found.append((load_scenario(source).system, name, lesson))
    parts = []
    for system, group in groupby(found, key=lambda one: one[0]):
        rows = [(f"{_LESSON}{name}", lesson.title, lesson.learn) for _, name, lesson in group]
        parts.append(f"<h2>{escape(tr(PAGES[PANEL_ROOMS[system].page]))}</h2>{_listed(rows)}")
    return "".join(parts)


def _scenarios() -> str:
    rows = [(f"{_SCENARIO}{name}", name, title) for name, title in scenario_titles()]
    return f"<h2>{escape(tr('Scenarios'))}</h2>{_listed(rows)}"


def _listed(rows: list[tuple[str, str, str]]) -> str:
    """The HTML for rows of (link, its text, a description)."""
    return "".join(
        f"<p style='margin: 6px 0'><a href='{escape(link)}'><b>{escape(words)}</b></a><br/>{escape(said)}</p>"
        for link, words, said in rows
    )
