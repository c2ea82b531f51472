"""The menu that chooses the language of the window."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QSettings
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from slotscope.gui.language.words import KEY, chosen, tr
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.model.phrase import LANGUAGES


def add_language_menu(menu: QMenu, settings: QSettings, say: Callable[[str], object]) -> None:
    """Add a submenu of languages; the chosen one applies from the next start on, which *say* tells."""
    languages = menu.addMenu(tr("Language"))
    keep_keys(languages)
    group = QActionGroup(languages)
    for language, name in LANGUAGES.items():
        action = languages.addAction(name)
        action.setCheckable(True)
        action.setChecked(language == chosen(settings))
        action.setData(language)
        group.addAction(action)

    def keep(language: str, name: str) -> None:
        settings.setValue(KEY, language)
        say(tr("From the next start on slotscope speaks {language}.").format(language=name))

    group.triggered.connect(lambda action: keep(str(action.data()), action.text()))
