"""Scenarios that play a trace: its files are chosen beside the scenario box, and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QObject, QSettings
from PySide6.QtWidgets import QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.file_dialogs import ask_files, ask_folder
from slotscope.gui.window.transport import TransportBar
from slotscope.model.errors import UserError
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.scenario.load import load_scenario

#: Formats whose traces are folders.
IN_FOLDERS = {"azure-flavours"}

#: File endings that traces do not have, unless the file's content is in a trace format.
_OTHERS = {".py", ".toml", ".json", ".slotscope"}


class TraceChoice(QObject):
    """Opens scenarios; one that plays a trace is opened with the files last chosen for it.

    The button beside the scenario box shows and changes these files; without any, an excerpt is played.
    """

    def __init__(
        self, window: QWidget, settings: QSettings, transport: TransportBar, worker: RunWorker, control: RunControl
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._control = window, settings, control
        self._button = transport.trace
        self._info: RunInfo | None = None
        self._asked: tuple[str, dict[str, Any]] | None = None  # a scenario whose trace was refused, and its choices
        self._opening: tuple[str, dict[str, Any]] | None = None  # the one being opened, which may be refused
        self._button.clicked.connect(self.ask)
        transport.scenario_chosen.connect(self.open)
        worker.opened.connect(self._take_info)
        worker.refused.connect(self._refused)

    def open(self, scenario: str, **choices: Any) -> None:
        """Open a scenario as :meth:`gui.running.run_control.RunControl.open` does, with its remembered trace files."""
        named = _named_files(scenario)
        if named is not None and not choices.get("trace") and not (named and _are_there(named)):
            choices["trace"] = self._remembered(scenario)
        self._opening = None if named is None else (scenario, choices)
        self._control.open(scenario, **choices)

    def ask(self) -> None:
        """Let the user choose trace files, in a dialog that does not block the window."""
        scenario, _ = self._wanted
        if not scenario:
            return
        title, known = tr("A trace for {scenario}").format(scenario=_short(scenario)), self._remembered(scenario)
        folder = str(Path(known[0]).parent) if known else ""
        if _format_of(scenario) in IN_FOLDERS:
            ask_folder(self._window, title, lambda path: self.choose([path]), folder)
        else:
            ask_files(self._window, title, self.choose, folder)

    def choose(self, files: list[str]) -> None:
        """Open the scenario that needs a trace, or the current one, with these files."""
        scenario, choices = self._wanted
        self.open(scenario, **choices | {"trace": tuple(files)})

    def dropped(self, data: QMimeData) -> list[str]:
        """The files in a drag, if a trace is wanted and all of them can be one; else empty."""
        from slotscope.model.traces.formats import has_job_format  # late: not needed at startup

        files = [url.toLocalFile() for url in data.urls()]
        others = any(
            not path or (Path(path).suffix.lower() in _OTHERS and not has_job_format(Path(path))) for path in files
        )
        return [] if others or not self._wanted[0] else files

    @property
    def _wanted(self) -> tuple[str, dict[str, Any]]:
        """The scenario that a trace would be for, and its other choices; an empty name if there is none."""
        info = self._info
        if self._asked is not None:
            return self._asked
        if info is None or info.scenario.workload.kind != "trace":
            return "", {}
        return info.origin.source or info.scenario_name, {}

    def _take_info(self, info: RunInfo) -> None:
        self._info, self._asked, self._opening = info, None, None
        files = info.origin.trace
        if files:
            self._settings.setValue(_key(info.origin.source or info.scenario_name), files)
        plays = info.scenario.workload.kind == "trace"
        self._button.setVisible(plays)
        if plays:
            names = [Path(path).name for path in files or info.scenario.workload.paths]
            self._button.setText(f"{tr('trace')}: {names[0]}{' ...' if len(names) > 1 else ''}")

    def _refused(self, _: str) -> None:
        """Ask anew for a trace that could not be read, or whose reading was stopped."""
        if self._opening is not None:
            self._asked, self._opening = self._opening, None
            self._button.setText(tr("Choose a trace for {scenario} ...").format(scenario=_short(self._asked[0])))
            self._button.show()

    def _remembered(self, scenario: str) -> tuple[str, ...]:
        """The trace files last used for a scenario, if all still exist; else empty."""
        kept = self._settings.value(_key(scenario)) or ()
        files = (kept,) if isinstance(kept, str) else tuple(str(path) for path in kept)
        return files if _are_there(files) else ()


def _named_files(scenario: str) -> tuple[str, ...] | None:
    """The trace files that a scenario names; None if it plays no trace or cannot be read."""
    try:
        opened = load_scenario(scenario)
    except UserError:
        return None
    return opened.workload.paths if opened.workload.kind == "trace" else None


def _are_there(files: tuple[str, ...]) -> bool:
    return all(Path(path).exists() for path in files)


def _format_of(scenario: str) -> str:
    return str(getattr(load_scenario(scenario).workload, "format", ""))


def _short(scenario: str) -> str:
    return Path(scenario).stem


def _key(scenario: str) -> str:
    """The settings key for a scenario's trace files; a scenario file has the same key from every working folder."""
    name = str(Path(scenario).absolute()) if Path(scenario).suffix else scenario
    return f"trace/{name.replace('/', '|')}"
