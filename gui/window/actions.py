"""One table of all commands of the window: name, shortcuts, icon and a sentence.

Menus, the transport bar, tooltips and the sheet of shortcuts are made from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QDockWidget, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import popup_open
from slotscope.gui.widgets.icons import icon

#: Shortcut of going back to the run that another one replaced.
BACK_KEY = "Ctrl+Shift+Z"


@dataclass(frozen=True)
class Command:
    """One command: its texts, shortcuts, icon and menu."""

    name: str
    title: str
    keys: tuple[str, ...]
    sentence: str
    icon: str = ""
    checkable: bool = False
    onward: bool = False  #: whether it advances the run; disabled while a question is open
    paging: str = ""  #: a presenter's key; in sheets and dialogs it turns pages as usual
    group: str = ""

    @property
    def all_keys(self) -> tuple[str, ...]:
        """All shortcuts of the command in the window."""
        return (*self.keys, self.paging) if self.paging else self.keys


def _of(group: str, *commands: Command) -> tuple[Command, ...]:
    return tuple(replace(one, group=group) for one in commands)


COMMANDS: tuple[Command, ...] = (
    *_of(
        "Transport",
        Command("run", "Run or pause", ("Space",), "Runs on, or pauses.", "run", onward=True),
        Command("step", "Step", ("Right",), "Lets one event happen, or finishes the one begun.", "step", onward=True),
        Command("into", "Step into", ("Shift+Right",), "Takes the next sub-step of the decision.", "into", onward=True),
        Command("out", "Step out", ("Shift+Down",), "Finishes the decision that was stepped into.", "out", onward=True),
        Command(
            "to_next",
            "To the next",
            ("Ctrl+Right",),
            "Runs to the next event of the chosen kind and stops just before it.",
            "to_next",
            onward=True,
        ),
        Command("step_back", "Step back", ("Left",), "Takes one event back.", "step_back"),
        Command("back_into", "Sub-step back", ("Shift+Left",), "Takes one sub-step back.", "substep_back"),
        Command(
            "to_previous",
            "To the previous",
            ("Ctrl+Left",),
            "Goes back to just before the previous event of the chosen kind.",
            "to_previous",
        ),
        Command(
            "why",
            "Why?",
            ("W",),
            "Says why the selected job is where it is, why not on the selected server, "
            "or why the last decision was made.",
        ),
        Command(
            "find",
            "Search the log",
            ("Ctrl+F",),
            "Writes into the log's search: words, or a question that Return asks of all history.",
        ),
        Command(
            "next_hit",
            "To the next hit",
            ("F3",),
            "Goes to just before the next event at which the log's question holds, also beyond the live end.",
            onward=True,
        ),
        Command(
            "previous_hit",
            "To the previous hit",
            ("Shift+F3",),
            "Goes back to just before the previous event at which the log's question holds.",
        ),
        Command(
            "first_hit",
            "To the first hit",
            ("Ctrl+F3",),
            "Goes to just before the first event of all at which the log's question holds.",
            onward=True,
        ),
        Command("to_start", "To the start", ("Home",), "Goes back to the start.", "to_start"),
        Command(
            "to_live_end",
            "To the live end",
            ("End",),
            "Goes to the last event that was ever reached.",
            "to_live_end",
            onward=True,
        ),
        Command("slower", "Slower", ("<",), "Halves the speed."),
        Command("faster", "Faster", (">",), "Doubles the speed."),
        Command(
            "express",
            "Express",
            ("E",),
            "Runs as fast as the machine can, without drawing, until Esc.",
            "express",
            onward=True,
        ),
        Command(
            "until",
            "Run until ...",
            ("U",),
            "Runs until a time (t = 20), an event (1000) or a kind of event.",
            onward=True,
        ),
        Command(
            "stop",
            "Stop",
            ("Esc",),
            "Closes what is in front (a sheet, a dialog, an inspector); else leaves a field, and stops what runs.",
            "cancel",
        ),
        Command(
            "break_here",
            "Breakpoint before the next event",
            ("B",),
            "Sets or clears a breakpoint just before the next event; in lecture mode B blacks out.",
            "breakpoint",
        ),
        Command(
            "breakpoints",
            "Breakpoints ...",
            ("Ctrl+B",),
            "Lists, sets and removes breakpoints: before an event, or where a question holds.",
        ),
        Command(
            "what_if",
            "What if ...",
            ("I",),
            "Decides otherwise, or lets another policy go on from here, beside this run; lists all forks.",
        ),
        Command(
            "experiments",
            "Experiments ...",
            ("Ctrl+E",),
            "Figures of the papers made again, and sweeps of the scenario, beside this run.",
        ),
    ),
    *_of(
        "File",
        Command("open", "Open ...", ("Ctrl+O",), "Opens a scenario or a saved session."),
        Command(
            "go_back",
            "Back to the run before",
            (BACK_KEY,),
            "Goes back to the run that another scenario, policy or seed has replaced.",
        ),
        Command(
            "save", "Save session ...", ("Ctrl+S",), "Saves scenario, seed, exact state, place in history and layout."
        ),
        Command("save_scenario", "Save scenario ...", ("Ctrl+Shift+S",), "Saves the scenario as a TOML file."),
        Command(
            "export", "Export events ...", ("Ctrl+Shift+E",), "Writes every event so far as a table, CSV or Parquet."
        ),
        Command(
            "copy_line",
            "Copy the line that opens this moment",
            ("Ctrl+L",),
            "Copies a command that opens this very moment on any machine.",
        ),
        Command(
            "copy_link",
            "Copy the link that opens this moment",
            ("Ctrl+Shift+L",),
            "Copies a slotscope:// link that 'slotscope LINK' opens; it names no files.",
        ),
        Command(
            "film",
            "Save a film ...",
            ("Ctrl+Shift+F",),
            "Films a decision, some events or a length of time: MP4, GIF or a folder of pictures.",
        ),
        Command(
            "page",
            "Save a page that plays ...",
            (),
            "Writes one HTML file that plays some moments in any browser, without a network.",
        ),
        Command(
            "handout",
            "Save all panels ...",
            (),
            "Writes a PDF with a page for each panel, or a folder of pictures, with captions.",
        ),
    ),
    *_of(
        "Lessons",
        Command("lessons", "Lessons ...", ("F8",), "Lists all lessons with what one learns, and all scenarios."),
        Command(
            "lesson_next",
            "Next step of the lesson",
            (),
            "Goes on with the lesson; without one, lets one event happen.",
            paging="PgDown",
        ),
        Command(
            "lesson_back",
            "Step of the lesson before",
            (),
            "Goes back in the lesson; without one, takes one event back.",
            paging="PgUp",
        ),
        Command(
            "lesson_add",
            "Add this moment to a lesson ...",
            ("Ctrl+M",),
            "Writes the moment that is shown, with panels, outlines and marks, into a lesson's file.",
        ),
        Command(
            "ask_me",
            "Ask me this",
            ("A",),
            "Asks what the policy decides next; where a question is open, goes to its answer.",
        ),
        Command("reveal", "Reveal the answer", ("R",), "Shows the answer to the question that is open."),
        Command(
            "exercise",
            "Exercise ...",
            ("X",),
            "Lets you decide instead of the policy, one decision after the other, on instances by seed.",
        ),
        Command(
            "keep_answers",
            "Keep answers in a file ...",
            (),
            "Writes what you answer into a file that 'slotscope grade' reads.",
        ),
    ),
    *_of("File", Command("quit", "Quit", ("Ctrl+Q",), "Leaves slotscope.")),
    *_of(
        "View",
        Command(
            "lecture",
            "Lecture mode",
            ("L",),
            "Larger type and marks, and only what a hall needs to see.",
            "lecture",
            checkable=True,
        ),
        Command(
            "show",
            "Begin the lecture",
            (),
            "Lecture mode, also while an answer is typed; Esc then ends it where nothing runs.",
            paging="F5",
        ),
        Command("laser", "Laser pointer", ("P",), "A red dot follows the mouse; once more switches it off."),
        Command("pen", "Draw with a pen", ("N",), "Draws on any panel with the mouse; once more puts the pen away."),
        Command("arrow", "Draw arrows", ("Shift+N",), "Drag to where an arrow points; Enter points at the selection."),
        Command("note", "Write notes", ("Ctrl+N",), "Click where a note is to stand; Enter puts it at the selection."),
        Command("clear_marks", "Clear the marks", ("C",), "Takes all marks off the pictures."),
        Command("black", "Black out", (".",), "All is black, and a run that is watched waits, until any key or click."),
        Command("dark", "Dark theme", ("D",), "Changes between dark and light.", "theme", checkable=True),
        Command("reset_layout", "Reset to the default layout", (), "Puts every panel back."),
        Command(
            "undo",
            "Undo",
            ("Ctrl+Z",),
            "Takes back the last mark while the pen is in hand, else the last reset of the layout.",
        ),
        Command("full_screen", "Full screen", ("F11",), "Fills the screen, and back."),
    ),
    *_of(
        "Help",
        Command("help", "Help", ("F1",), "Opens the manual at the page for what runs.", "help"),
        Command("tour", "Tour of two minutes", (), "Shows what stands where, and the keys; Esc ends it."),
        Command("shortcuts", "Shortcuts", ("?",), "Shows all keys on one sheet."),
        Command("about", "About slotscope", (), "Version, papers and licence."),
    ),
)

#: Stands for one command per panel; the window makes those from its panels.
BRING = Command(
    "bring",
    "Bring a panel to the front",
    ("1 to 9", "0", "M", "S", "T"),
    "0 is Comparison, M Monitors, S Scenario, T Track. In lecture mode, where keys stand before the names, once "
    "more is for the next policy; 1 and 3 give more room to servers and log, and back.",
    group="View",
)


class Actions:
    """The commands as QActions, each connected to a handler of the window.

    Shortcuts work wherever the focus is, except that fields take the keys that typing needs before shortcuts see them,
    and an open menu or list keeps all keys.  Presenters' keys work in the main window and in floating docks, which
    *parted* announces.
    """

    def __init__(self, window: QWidget, handlers: dict[str, Callable[[], object]], parted: SignalInstance) -> None:
        self._actions: dict[str, QAction] = {}
        for command in COMMANDS:
            action = QAction(tr(command.title), window)
            action.setShortcuts([QKeySequence(keys) for keys in command.keys])
            action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
            action.setToolTip(tooltip(command))
            action.setStatusTip(tr(command.sentence))
            action.setCheckable(command.checkable)
            handler = handlers[command.name]
            action.triggered.connect(lambda _=False, call=handler: None if popup_open() else call())
            window.addAction(action)
            self._actions[command.name] = action
        self._page_in(window)
        parted.connect(self._part)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def _page_in(self, window: QWidget) -> list[QShortcut]:
        pages = [(QKeySequence(command.paging), command.name) for command in COMMANDS if command.paging]
        return [QShortcut(keys, window, self._actions[name].trigger) for keys, name in pages]

    def _part(self, dock: QDockWidget) -> None:
        """Add the presenters' keys to a dock for as long as it floats."""
        for shortcut in self._page_in(dock):
            dock.topLevelChanged.connect(shortcut.deleteLater)

    def press(self, keys: QKeySequence) -> None:
        """Trigger the command of a key that was pressed before the window could take keys."""
        for command in COMMANDS:
            if keys in (QKeySequence(one) for one in (*command.keys, command.paging) if one):
                self._actions[command.name].trigger()

    def restyle(self, theme: Theme) -> None:
        """Recolour the icons for a theme."""
        for command in COMMANDS:
            if command.icon:
                self._actions[command.name].setIcon(icon(command.icon, theme))

    def hold(self, on: bool) -> None:
        """Disable or enable all commands that advance the run."""
        for command in COMMANDS:
            if command.onward:
                self._actions[command.name].setDisabled(on)

    def in_group(self, group: str) -> list[QAction]:
        """The actions of one menu, in order."""
        return [self._actions[item.name] for item in COMMANDS if item.group == group]


def key_words(key: str) -> str:
    """A shortcut as keyboards in the window's language label it."""
    if " " in key:
        return tr(key)
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def tooltip(command: Command) -> str:
    """Title, shortcut and sentence of a command."""
    keys = f" ({key_words(command.keys[0])})" if command.keys else ""
    return f"{tr(command.title)}{keys}\n{tr(command.sentence)}"
