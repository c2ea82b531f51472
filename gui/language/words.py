"""Words of the window in the language that was chosen; Qt's own system, with one context for all of them.

``tr`` stands around each text where it is shown.  What runs, and says sentences about itself, stays English.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from slotscope.model.errors import UserError
from slotscope.model.phrase import ENGLISH, LANGUAGES, Phrase

TRANSLATIONS = Path(__file__).resolve().parents[2] / "resources" / "translations"

#: The context of all words in the files of translations.
CONTEXT = "slotscope"

#: Where the settings keep the language; and which property of the application says what is spoken.
KEY, _SPOKEN = "language", "slotscope-language"


def tr(text: str) -> str:
    """A text in the language that is spoken; as it is where that has no words for it."""
    return QCoreApplication.translate(CONTEXT, text)


def line_of(error: UserError) -> str:
    """An error as one line, in the language that is spoken where it is a phrase; its place is a name in any."""
    if not isinstance(error.words, Phrase):
        return error.line
    return type(error)(error.words.said(tr), where=error.where).line


def spoken() -> str:
    """The language of the window, such as ``de``."""
    application = QCoreApplication.instance()
    found = None if application is None else application.property(_SPOKEN)
    return str(found or ENGLISH)


def chosen(settings: QSettings, wanted: str | None = None) -> str:
    """The language to speak: the one that is *wanted*, else that of the settings, else the system's, else English."""
    of_system = QLocale.system().name().partition("_")[0]
    named = (wanted, str(settings.value(KEY, "")), of_system)
    return next((one for one in named if one in LANGUAGES), ENGLISH)


def speak(application: QCoreApplication, language: str) -> None:
    """Have the application speak a language from now on; what is shown already stays as it is."""
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
