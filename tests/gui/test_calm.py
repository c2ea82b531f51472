"""Texts stay unchanged for a moment while a run goes on; then the next frame or a signal brings the change."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from slotscope.gui.widgets import calm as module
from slotscope.gui.widgets.calm import Calm


@pytest.fixture
def calm(qapp: QObject) -> Calm:
    return Calm(qapp)


@pytest.fixture(autouse=True)
def _moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STILL", 0.03)
    monkeypatch.setattr(module, "NEXT_FRAME", 0.1)


def test_it_stands_still_while_the_run_goes_on(calm: Calm) -> None:
    assert calm.may_show("rows", 1, running=True)
    assert not calm.may_show("rows", 2, running=True)
    assert calm.may_show("rows", 1, running=True)
    assert calm.may_show("rows", 3, running=False)


def test_what_is_kept_is_told_where_no_frame_comes(qtbot: QtBot, calm: Calm) -> None:
    calm.may_show("rows", 1, running=True)
    with qtbot.waitSignal(calm.over):
        calm.may_show("rows", 2, running=True)
    assert calm.may_show("rows", 2, running=True)


def test_what_the_next_frame_shows_is_not_told(qtbot: QtBot, calm: Calm) -> None:
    for name in ("rows", "order"):
        calm.may_show(name, 1, running=True)
        calm.may_show(name, 2, running=True)
    qtbot.wait(40)
    with qtbot.assertNotEmitted(calm.over, wait=200):
        assert calm.may_show("rows", 3, running=True)
        assert calm.may_show("order", 1, running=True)  # unchanged


def test_what_one_frame_leaves_is_told(qtbot: QtBot, calm: Calm) -> None:
    for name in ("rows", "order"):
        calm.may_show(name, 1, running=True)
        calm.may_show(name, 2, running=True)
    qtbot.wait(40)
    with qtbot.waitSignal(calm.over):
        assert calm.may_show("rows", 3, running=True)


def test_forgotten_all_may_change(qtbot: QtBot, calm: Calm) -> None:
    calm.may_show("rows", 1, running=True)
    calm.may_show("rows", 2, running=True)
    calm.forget()
    with qtbot.assertNotEmitted(calm.over, wait=200):
        assert calm.may_show("rows", 2, running=True)
