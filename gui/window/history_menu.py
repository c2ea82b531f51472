"""The menu that limits the memory and the disk space that a run's history may take."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QSettings
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from slotscope.gui.language.words import tr
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.model.running.keyframes import CHOSEN, HistoryRoom

_GIB = 2**30

#: Sizes offered, in bytes; a size given on the command line is added to them.
MEMORY, DISK = (HistoryRoom().memory, _GIB, 4 * _GIB, 16 * _GIB), (0, 20 * _GIB, 100 * _GIB)

#: The settings keys of the chosen sizes.
KEYS = ("history/memory", "history/disk")


def add_history_menu(menu: QMenu, settings: QSettings, say: Callable[[str], object]) -> None:
    """Add a submenu of limits for memory and disk; a choice applies to all runs from now on, and *say* tells it."""
    if HistoryRoom() == CHOSEN:  # the command line gave no sizes
        kept = [settings.value(key) for key in KEYS]
        memory, disk = (int(str(value)) if str(value).isdecimal() else 0 for value in kept)
        CHOSEN.memory, CHOSEN.disk = memory or CHOSEN.memory, disk
    history = menu.addMenu(tr("History"))
    keep_keys(history)

    def told() -> None:
        settings.setValue(KEYS[0], CHOSEN.memory)
        settings.setValue(KEYS[1], CHOSEN.disk)
        beside = _in_memory(CHOSEN.memory), _on_disk(CHOSEN.disk)
        say(tr("The history of each run may take: {memory}, {disk}.").format(memory=beside[0], disk=beside[1]))

    def choose_memory(size: int) -> None:
        CHOSEN.memory = size
        told()

    def choose_disk(size: int) -> None:
        CHOSEN.disk = size
        told()

    _offer(history, MEMORY, CHOSEN.memory, _in_memory, choose_memory)
    history.addSeparator()
    _offer(history, DISK, CHOSEN.disk, _on_disk, choose_disk)


def _offer(
    menu: QMenu, sizes: tuple[int, ...], now: int, text: Callable[[int], str], choose: Callable[[int], None]
) -> None:
    group = QActionGroup(menu)
    for size in sorted({*sizes, now}):
        action = menu.addAction(text(size))
        action.setCheckable(True)
        action.setChecked(size == now)
        action.setData(size)
        group.addAction(action)
    group.triggered.connect(lambda action: choose(action.data()))


def _size(size: int) -> str:
    return f"{size / _GIB:g} GB" if size >= _GIB else f"{size / 2**20:g} MB"


def _in_memory(size: int) -> str:
    return tr("{size} of memory").format(size=_size(size))


def _on_disk(size: int) -> str:
    return tr("{size} of disk").format(size=_size(size)) if size else tr("nothing on disk")
