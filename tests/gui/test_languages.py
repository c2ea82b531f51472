"""The window in German: the shipped file matches the file of translations, and the window uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QLabel, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.language.words import KEY, TRANSLATIONS, chosen, line_of, speak, spoken, tr
from slotscope.gui.main_window import MainWindow
from slotscope.gui.widgets.scripts import paragraphs, set_scripts
from slotscope.model.cli.arguments import parse
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import refused
from slotscope.model.lessons.files import lesson_files, load_lesson, words_beside
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import waiting, who_waits
from tests.gui.overflowing import cut
from tests.gui.windows import complete_window
from tests.translations import OTHERS, RECORD, sources, translations


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    speak(qapp, "de")
    yield
    speak(qapp, "en")


@pytest.mark.usefixtures("german")
def test_what_ships_is_what_the_file_says() -> None:
    messages = ElementTree.parse(TRANSLATIONS / "slotscope_de.ts").getroot().iter("message")
    pairs = [(one.findtext("source") or "", one.findtext("translation") or "") for one in messages]
    assert [source for source, said in pairs if tr(source) != said] == []
    for source, said in pairs:
        assert source.count("{") == said.count("{"), source


@pytest.mark.slow
@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated(language: str) -> None:
    said, shown = translations(language), sources()
    assert [text for text in shown if not said.get(text)] == [], f"to be collected and translated: {RECORD}"
    assert [text for text in said if text not in shown] == [], f"shown no more: {RECORD}"


@pytest.mark.usefixtures("german", "warm")
@pytest.mark.slow
def test_a_window_speaks_german(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path, language="de") as window:
        menus = [action.text() for action in window.menu_bar.actions()]
        assert menus == ["&Datei", "&Lauf", "&Ansicht", "L&ektionen", "&Hilfe"]
        assert window.actions_by_name["step_back"].text() == "Schritt zurück"
        assert window.docks["decisions"].windowTitle() == "Entscheidungen"
        _opens_lessons(qtbot, window)
        _has_room_for_its_words(qtbot, window)


def _opens_lessons(qtbot: QtBot, window: MainWindow) -> None:
    """Each lesson with a German translation is shown in German, as are its questions."""
    text = window.lessons.strip.findChild(QLabel, "lesson-text")
    translated = [path for path in lesson_files().values() if words_beside(path, "de").exists()]
    assert len(translated) >= 6
    for path in translated:
        window.lessons.open(path.stem)
        assert window.lessons.lesson == load_lesson(path, "de") != load_lesson(path)
        assert [text.text()] == paragraphs(window.lessons.lesson.steps[0].text)
    window.show_lessons()
    (page,) = [one for one in window.findChildren(QTextBrowser) if one.isVisible()]
    assert all(load_lesson(path, "de").learn in page.toPlainText() for path in translated)
    window.lessons.open("dra-1-decision", 2)
    asked = load_lesson(lesson_files()["dra-1-decision"], "de").steps[2].question
    assert asked is not None
    qtbot.waitUntil(lambda: window.lessons.questions.line.words.text() == set_scripts(asked.text))
    line = window.lessons.questions.line
    assert line.answer.placeholderText().startswith(
        "die Nummer eines Servers (1, 2, 3, 4, 5, 6, 7) oder none: kein Job"
    )
    line.fill("2")
    window.lessons.questions.commit()
    assert line.verdict.text().startswith("✗ Nicht richtig, sondern 7: server 2 has no job of type training")
    qtbot.waitUntil(lambda: window.frame is not None and len(window.frame.records) == 2)
    window.actions_by_name["copy_line"].trigger()
    assert window.status.said.text().startswith("Kopiert: slotscope dra-classroom")
    window.lessons.open("dra-2-reserve")  # if there are many servers, only the first and the last are named
    qtbot.waitUntil(lambda: line.answer.placeholderText().startswith("die Nummer eines Servers (1 bis 16) oder none"))


def _sheets() -> set[QWidget]:
    return {one for one in QApplication.topLevelWidgets() if one.isVisible()}


def _has_room_for_its_words(qtbot: QtBot, window: MainWindow) -> None:
    """On the smallest screen of a lecture hall, with its dialogs, and with two policies compared."""
    window.resize(1280, 720)
    window.lessons.open("dra-2-reserve", 3)
    qtbot.waitUntil(lambda: window.frame is not None and len(window.frame.lanes) == 2 and window.frame.event > 0)
    for hall in (False, True):
        assert window.lecture.on == hall
        window.settle()
        assert cut(window) == []
        window.lecture.toggle()
    for name in ("until", "breakpoints", "film", "page", "experiments"):
        before = _sheets()
        window.actions_by_name[name].trigger()
        window.settle()
        (sheet,) = _sheets() - before
        assert cut(sheet) == [], name
        sheet.close()


@pytest.mark.usefixtures("german")
def test_what_was_stopped_or_is_no_answer_is_said_in_german() -> None:
    with waiting(lambda _: None, lambda: 1), pytest.raises(UserError) as stopped:
        who_waits().look(Phrase("Going to event {event}", event="350"), 0.45)
    assert line_of(stopped.value) == "Gehe zu Ereignis 350: abgebrochen bei 45%"
    assert stopped.value.line == "Going to event 350: stopped at 45%"
    wrong = refused(" banana", Phrase("a whole number"))
    assert line_of(wrong) == "gefunden 'banana', erlaubt: eine ganze Zahl"
    assert line_of(wrong.inside("my.toml")) == "my.toml: gefunden 'banana', erlaubt: eine ganze Zahl"


def test_the_wish_comes_before_the_settings(qapp: QApplication, tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    settings.setValue(KEY, "de")
    assert (chosen(settings), chosen(settings, "en"), chosen(settings, "xx")) == ("de", "en", "de")
    assert spoken() == "en"


def test_a_language_alone_leaves_the_first_start_as_it_is() -> None:
    alone = ([], ["--language", "de"], ["--language=de"])
    assert all(parse(arguments).as_it_comes for arguments in alone)
    assert not any(parse(["dra-vms", *arguments]).as_it_comes for arguments in alone)
