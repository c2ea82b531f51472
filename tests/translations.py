"""The window's translatable texts, and the files of their translations.

``python -m tests.translations`` updates each ``.ts`` file from the source, keeping existing translations,
and compiles it to the ``.qm`` that ships; texts without a translation are listed.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Iterable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from slotscope.gui import panel
from slotscope.gui.docking import docks
from slotscope.gui.experiments import form, results, window
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.language.words import CONTEXT, TRANSLATIONS
from slotscope.gui.lessons import exercises, question_line, questions, strip
from slotscope.gui.panels import COMPARISON, comparison, decisions_model, panels_of, scenario_form
from slotscope.gui.presenting import pen as palette
from slotscope.gui.running import compare, drive
from slotscope.gui.sharing import control, dialog
from slotscope.gui.window import actions, dialogs, transport
from slotscope.model.exercises.deciding import asks_of
from slotscope.model.exercises.exercise import DIFFICULTIES
from slotscope.model.exercises.question import ASKS
from slotscope.model.kinds.spec import KINDS
from slotscope.model.phrase import ENGLISH, LANGUAGES

GUI, MODEL = (Path(__file__).resolve().parents[1] / name for name in ("gui", "model"))
OTHERS = [language for language in LANGUAGES if language != ENGLISH]
RECORD = "python -m tests.translations"

#: The first lines of each ``.ts`` file.
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'


def sources() -> list[str]:
    """Every text that is shown through ``tr``: literals in the source, and texts in tables."""
    said = [(GUI, "tr"), (GUI, "Phrase"), (MODEL, "Phrase")]
    found = [text for root, name in said for path in sorted(root.rglob("*.py")) for text in _literals(path, name)]
    return list(dict.fromkeys([*found, *_of_tables()]))


def _literals(path: Path, name: str) -> list[str]:
    """The literal first arguments of calls of a function."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name and call.args]
    return [str(call.args[0].value) for call in named if isinstance(call.args[0], ast.Constant)]


def _behind_names(*tables: Iterable[tuple[str, ...]]) -> list[str]:
    """The texts of tables whose rows begin with an internal name, which is not shown."""
    return [text for table in tables for _, *texts in table for text in texts if text]


def _of_tables() -> list[str]:
    return [*_of_window(), *_of_kinds_and_panels()]


def _of_window() -> list[str]:
    commands = (*actions.COMMANDS, actions.BRING)
    entries = dict.fromkeys(entry for system in KINDS for entry in (*panels_of(system), COMPARISON))
    panels = [entry.load() for entry in entries]
    buttons = strip._BUTTONS, question_line._BUTTONS, strip._ANSWERS, palette.TOOLS, palette._DEEDS
    return [
        *(text for command in commands for text in (command.title, command.sentence)),
        *(key for command in commands for key in command.keys if " " in key),
        *(title for title, _ in dialogs.MENUS),
        *(text for one in panels for text in (one.title, one.summary)),
        *_behind_names(*buttons),
        *(tip for *_, tip in palette._COLORS),
        *(words for words, _ in dialog._STEPS),
        *(text for one in (dialog.FILM, dialog.PAGE, dialog.HANDOUT) for text in (one.title, one.kinds)),
        *_behind_names(transport.FIELDS, transport.FAULT_BUTTONS),
        *(text for title, _, tip in transport.OWN_ENTRIES for text in (title, tip)),
    ]


def _of_kinds_and_panels() -> list[str]:
    return [
        *(room.page_title for room in PANEL_ROOMS.values()),
        *DIFFICULTIES,
        "Lessons",  # a sheet's title, which also identifies it
        *ASKS.values(),
        *(words for system in KINDS for words in asks_of(system).values.values()),
        *(f"a {thing}" for thing in ("server", "job", "token")),  # as answers
        control.NO_LINK,
        *(drive.NOTHING_MORE, drive.COMES_NEXT, drive.GAP),
        *panel._WHY.values(),
        *docks._BUTTONS.values(),
        *_behind_names(comparison._BUTTONS),
        *(words for room in PANEL_ROOMS.values() for words in room.decisions if words),
        *(text for texts in (decisions_model.COLUMNS, results.COLUMNS, results.TIPS) for text in texts if text),
        *form.SCALES.values(),
        *scenario_form.HEADINGS,
        window.UNREAD,
        exercises._ALL,
        questions.WAITS,
        compare._TIP,
    ]


def translations(language: str) -> dict[str, str]:
    """The translation of each text in a language's file; empty if it has none yet."""
    path = TRANSLATIONS / f"slotscope_{language}.ts"
    if not path.exists():
        return {}
    messages = ET.parse(path).getroot().iter("message")
    return {one.findtext("source") or "": one.findtext("translation") or "" for one in messages}


def write(language: str, known: dict[str, str]) -> None:
    """Write a language's file for the present texts, and compile it."""
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage=ENGLISH)
    context = ET.SubElement(root, "context")
    ET.SubElement(context, "name").text = CONTEXT
    for text in sources():
        message = ET.SubElement(context, "message")
        ET.SubElement(message, "source").text = text
        translation = ET.SubElement(message, "translation")
        translation.text = known.get(text, "")
        if not translation.text:
            translation.set("type", "unfinished")
    ET.indent(root, " " * 4)
    path = TRANSLATIONS / f"slotscope_{language}.ts"
    path.write_text(f"{_HEAD}{ET.tostring(root, encoding='unicode')}\n", encoding="utf-8")
    lrelease = Path(sys.executable).with_name("pyside6-lrelease")
    subprocess.run([lrelease, "-silent", str(path), "-qm", str(path.with_suffix(".qm"))], check=True)


if __name__ == "__main__":
    for other in OTHERS:
        write(other, translations(other))
        for text in (text for text, said in translations(other).items() if not said):
            print(f"{other}: {text!r}")
