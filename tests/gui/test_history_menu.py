"""The menu for the memory and disk space of the history: choices are saved, and the command line takes precedence."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from slotscope.gui.window import history_menu
from slotscope.model.running.keyframes import HistoryRoom


@pytest.fixture
def view_menu(qapp: QApplication) -> QMenu:
    return QMenu()


def made(menu: QMenu, folder: Path, said: list[str]) -> QMenu:
    store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    history_menu.add_history_menu(menu, store, said.append)
    found = menu.actions()[-1].menu()
    assert isinstance(found, QMenu)
    return found


def checked(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.isChecked()]


def test_what_is_chosen_holds_at_once_and_from_the_next_start_on(
    view_menu: QMenu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, said = HistoryRoom(), list[str]()
    monkeypatch.setattr(history_menu, "CHOSEN", room)
    menu = made(view_menu, tmp_path, said)
    assert checked(menu) == ["256 MB of memory", "nothing on disk"]
    for downs in (3, 6):  # 4 GB of memory, then 20 GB of disk
        menu.popup(menu.pos())
        for _ in range(downs):
            QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
    assert (room.memory, room.disk) == (4 * 2**30, 20 * 2**30)
    assert said[-1] == "The history of each run may take: 4 GB of memory, 20 GB of disk."
    monkeypatch.setattr(history_menu, "CHOSEN", again := HistoryRoom())
    assert checked(made(view_menu, tmp_path, said)) == ["4 GB of memory", "20 GB of disk"]
    assert again == room


def test_what_the_command_line_asked_for_is_offered_and_holds(
    view_menu: QMenu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat).setValue("history/memory", 2**30)
    monkeypatch.setattr(history_menu, "CHOSEN", room := HistoryRoom(2 * 2**30, 0))
    assert checked(made(view_menu, tmp_path, [])) == ["2 GB of memory", "nothing on disk"]
    assert room.memory == 2 * 2**30
