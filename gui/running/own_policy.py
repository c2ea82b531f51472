"""Policies from the user's own files: choosing a file, watching it for changes, showing what is wrong in it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QFileSystemWatcher, QMimeData, QObject, QSettings, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from slotscope.gui.language.words import line_of, tr
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.file_dialogs import ask_file, ask_new_file
from slotscope.gui.window.dialogs import show_sheet
from slotscope.gui.window.transport import TransportBar
from slotscope.model.draft import write_text
from slotscope.model.errors import UntrustedPolicyError, UserError
from slotscope.model.policies import is_own, template_of
from slotscope.model.policies.own.trust import allow_named, allow_text
from slotscope.model.reporting.frame import RunInfo

#: Milliseconds from a change to reading the file: editors write in several steps.
SETTLE = 150

#: The settings key of the last folder.
FOLDER = "policy-folder"


class OwnPolicyFile(QObject):
    """Lets the user choose a policy file, and reloads it whenever it changes.

    The folder is watched as well as the file, because many editors save by replacing the file.
    """

    def __init__(
        self, window: QWidget, settings: QSettings, transport: TransportBar, worker: RunWorker, control: RunControl
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._transport = window, settings, transport
        self._worker, self._control = worker, control
        self._wanted = ""  # a chosen file that has not been loaded yet
        self._question: tuple[UntrustedPolicyError, Any] | None = None
        self._running: tuple[str, ...] = ()
        self._system = ""
        self._seen: dict[str, tuple[int, int] | None] = {}
        self._watcher = QFileSystemWatcher(self)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE)
        self._settle.timeout.connect(self._look)
        self._watcher.fileChanged.connect(self._settle.start)
        self._watcher.directoryChanged.connect(self._settle.start)
        transport.file_wanted.connect(self.ask)
        transport.template_wanted.connect(self.begin)
        worker.compared.connect(self._take_lanes)
        worker.policy_refused.connect(self._show_fault)
        worker.permission_wanted.connect(self._show_question)
        transport.fault_buttons["show"].clicked.connect(self._show_text)
        transport.fault_buttons["run"].clicked.connect(self._allow)

    # Choosing.

    def ask(self) -> None:
        """Ask for a policy file and run it."""
        folder = str(self._settings.value(FOLDER, ""))
        kinds = f"{tr('Python files')} (*.py);;{tr('All files')} (*)"
        ask_file(self._window, tr("A policy of your own"), lambda path: self.choose(str(path)), kinds, folder)

    def begin(self) -> None:
        """Save a policy template for the current kind of system, open its folder, and run it."""
        proposed = str(Path(str(self._settings.value(FOLDER, ""))) / "my_policy.py")
        ask_new_file(
            self._window, tr("A new policy of your own"), self._write_template, f"{tr('Python files')} (*.py)", proposed
        )

    def _write_template(self, path: Path) -> None:
        try:
            write_text(path, template_of(self._system))
        except UserError as error:
            self._transport.show_fault(line_of(error))
            return
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
        self.choose(str(path), running=True)

    def choose(self, path: str, running: bool = False) -> None:
        """Open the current scenario under the policy in a file; stand at its start, or run."""
        self._settings.setValue(FOLDER, str(Path(path).parent))
        allow_named(path)
        self._wanted = path
        self._watch()
        self._open_wanted(running)

    # Asking whether a file that a scenario or a session names may run.

    def _show_question(self, error: UntrustedPolicyError, command: Any) -> None:
        self._question = (error, command)

    def _show_fault(self, text: str) -> None:
        """Show what is wrong, or the open question if the fault is about that."""
        if self._question is not None and self._question[0].line != text:
            self._question = None
        if self._question is None:
            self._transport.show_fault(text)
        else:
            self._transport.show_fault(self._question[0].question, asks=True)

    def _show_text(self) -> None:
        """Show the file's text, so that the user can read it before allowing it to run."""
        if self._question is not None:
            error, _ = self._question
            show_sheet(self._window, Path(error.path).name, f"<pre>{escape(error.text)}</pre>", html=True)

    def _allow(self) -> None:
        """Allow exactly the text that was asked about, and repeat the command that needed it."""
        if self._question is not None:
            (error, command), self._question = self._question, None
            allow_text(error.path, error.text)
            self._transport.show_fault("")
            self._worker.post(command)

    def _open_wanted(self, running: bool = False) -> None:
        self._control.run_again(self._wanted, self._transport.seed.value(), running)

    @staticmethod
    def dropped(data: QMimeData) -> str:
        """The path of the single Python file in a drag; empty if the drag holds anything else."""
        files = [url.toLocalFile() for url in data.urls()]
        return files[0] if len(files) == 1 and files[0].lower().endswith(".py") else ""

    # Watching.

    def follow(self, info: RunInfo) -> None:
        """Watch the policy files of the run that begins."""
        self._system = info.system
        if info.policy_name == self._wanted:
            self._wanted = ""
        if info.policy_name not in self._running:
            self._running = (info.policy_name,)
        self._watch()

    def _take_lanes(self, lanes: tuple[tuple[str, RunInfo], ...]) -> None:
        self._running = tuple(info.policy_name for _, info in lanes)

    def _watch(self) -> None:
        files = _files_of([name for name in (*self._running, self._wanted) if name and is_own(name)])
        paths = {str(Path(name).absolute()) for name in files}
        wanted = paths | {str(Path(path).parent) for path in paths}
        present = {*self._watcher.files(), *self._watcher.directories()}
        if gone := sorted(present - wanted):
            self._watcher.removePaths(gone)
        if fresh := sorted(path for path in wanted - present if Path(path).exists()):
            self._watcher.addPaths(fresh)
        self._seen = {name: self._seen.get(name, _stamp(name)) for name in files}

    def _look(self) -> None:
        """Reload changed files; also called when something else in a watched folder changes."""
        before = self._seen
        self._watch()  # the watcher drops files that were replaced
        changed = [name for name in self._seen if _stamp(name) != before.get(name)]
        self._seen |= {name: _stamp(name) for name in changed}
        if changed and self._wanted not in ("", *self._running):
            self._open_wanted()
        elif changed:
            self._control.reload_policies()


def _stamp(name: str) -> tuple[int, int] | None:
    """Modification time and inode, which differ between versions of a file; None if there is no file."""
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino


def _files_of(policies: list[str]) -> list[str]:
    """The files of users' policies and the files that those import."""
    if not policies:
        return []
    from slotscope.model.policies.own.file import files_of  # late: few windows run such policies

    return [file for policy in policies for file in files_of(policy)]
