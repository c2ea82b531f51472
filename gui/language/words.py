"""Texts of the window in the chosen language, by Qt's translation system with a single context.

``tr`` is called wherever a text is shown.  Sentences about the run itself stay English.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from slotscope.model.errors import UserError
from slotscope.model.phrase import ENGLISH, LANGUAGES, Phrase

TRANSLATIONS = Path(__file__).resolve().parents[2] / "resources" / "translations"

#: The context of all texts in the translation files.
CONTEXT = "slotscope"

#: The settings key of the language; and the application's property that holds the current one.
KEY, _SPOKEN = "language", "slotscope-language"


def tr(text: str) -> str:
    """A text in the current language; unchanged if it has no translation."""
    return QCoreApplication.translate(CONTEXT, text)


def line_of(error: UserError) -> str:
    """An error as one line, translated if it is a phrase; its place is not translated."""
    if not isinstance(error.words, Phrase):
        return error.line
    return type(error)(error.words.said(tr), where=error.where).line


def spoken() -> str:
    """The current language of the window, such as ``de``."""
    application = QCoreApplication.instance()
    found = None if application is None else application.property(_SPOKEN)
    return str(found or ENGLISH)


def chosen(settings: QSettings, wanted: str | None = None) -> str:
    """The language to use: *wanted*, else that of the settings, else the system's, else English."""
    of_system = QLocale.system().name().partition("_")[0]
    named = (wanted, str(settings.value(KEY, "")), of_system)
    return next((one for one in named if one in LANGUAGES), ENGLISH)


def speak(application: QCoreApplication, language: str) -> None:
    """Set the application's language; texts that are already shown do not change."""
    for translator in application.findChildren(QTranslator):
        application.removeTranslator(translator)
        translator.deleteLater()
    application.setProperty(_SPOKEN, language)
    if language == ENGLISH:
        return
    of_qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for name, folder in ((f"qtbase_{language}", of_qt), (f"slotscope_{language}", str(TRANSLATIONS))):
        translator = QTranslator(application)
        if translator.load(name, folder):
            application.installTranslator(translator)
