"""The window: transport above, panels in docks, and a status bar.

It owns the worker, hands frames to whatever is visible, and carries out what panels ask for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton, QWidget

from gui import dialogs, manual
from gui import theme as themes
from gui.actions import Actions
from gui.bounds_service import BoundsService
from gui.boxes import keep_keys
from gui.compare import CompareControl
from gui.docks import PanelDock
from gui.experiments import Experiments
from gui.faults import Fault, guard_classes
from gui.goals import GoalProgress
from gui.inspectors import Inspectors
from gui.intents import ApplyScenario, BreakAt, Differ, GoTo, Inspect, Intent, RunUntil, Say, Select, Solve
from gui.layouts import Layouts
from gui.lecture import LectureMode
from gui.own_policy import OwnPolicyFile
from gui.panel_docks import PanelDocks
from gui.run_control import RunControl
from gui.trace_choice import TraceChoice
from gui.transport import TransportBar
from gui.worker import RunWorker
from model.comparison.comparison import open_run, stand_at
from model.frame import Frame, RunInfo
from model.kinds.spec import kind_named
from model.origin import NO_LINE, Moment
from model.policies import own_refusal
from model.scenario.load import scenario_titles

#: Width and height in pixels to which the window can be made small; a screen of 1920x1080 that
#: shows everything twice as large has 960x540.
_LEAST = (640, 400)


class MainWindow(QMainWindow):
    """slotscope's window."""

    ready = Signal()

    def __init__(self, worker: RunWorker, settings: QSettings) -> None:
        guard_classes()
        super().__init__()
        self.setObjectName("slotscope")
        self.setWindowTitle("slotscope")
        self.worker = worker
        self.settings = settings
        self.theme = themes.load_theme(str(settings.value("theme", "light")))
        self.docks: dict[str, PanelDock] = {}
        self.frame: Frame | None = None
        self.info: RunInfo | None = None
        self.selection = Select()
        self._progress = ""  # what was last said of what takes long
        self._told = ""  # the run's last message; the window's own stay until the next
        self.control = RunControl(worker, self)
        self.layouts = Layouts(self)
        self.lecture = LectureMode(self)
        self.panels = PanelDocks(self)
        self.experiments = Experiments(self)
        self.actions_by_name = Actions(self, self._handlers())
        self.transport = TransportBar(self.theme, self.actions_by_name)
        self._status = QLabel()
        self._next = QLabel()
        self._fault_details = ""
        self._copy_fault = QPushButton("Copy the details")
        self._build()
        self._connect()
        self._bounds = BoundsService()
        self.inspectors = Inspectors(self)
        self.compare = CompareControl(self)
        self.own_policy = OwnPolicyFile(self)
        self.traces = TraceChoice(self)
        self.setAcceptDrops(True)

    def _build(self) -> None:
        self.setDockNestingEnabled(True)
        self.setMinimumSize(*_LEAST)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocus()  # else the first box would have it, and the first key press
        keep_keys(self)
        header = QWidget()
        self.setMenuWidget(header)
        self.menu_bar, self.view_menu = dialogs.stack_header(self, header)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.statusBar().addWidget(self._status, 1)
        self.statusBar().addPermanentWidget(self._copy_fault)
        self.statusBar().addPermanentWidget(self._next)
        self._copy_fault.setObjectName("copy-fault")
        self._copy_fault.clicked.connect(self._copy_details)
        self._copy_fault.hide()
        self.transport.set_scenarios(scenario_titles())
        kind = kind_named(self.panels.system)
        self.transport.set_system(kind.name, kind.event_kinds)
        self.actions_by_name["dark"].setChecked(self.theme.dark)
        self.actions_by_name.restyle(self.theme)

    def _connect(self) -> None:
        self.worker.framed.connect(self._take_frame)
        self.worker.opened.connect(self._take_info)
        self.worker.refused.connect(self._refused)
        self.worker.compiled.connect(self._compiled)
        self.worker.progressed.connect(self._progressed)
        self.worker.compiling.connect(self.transport.show_compiling)
        self.worker.laid_out.connect(self.panels.arrange)
        self.transport.chosen.connect(self.control.run_again)
        self.transport.paced.connect(self.control.set_pace)
        self.transport.history.sought.connect(self.control.go_to)

    # Panels.

    def build_panels(self) -> None:
        """Build the panels one by one, so that the window answers in between."""
        self.panels.build()

    # Frames.

    def begin(self, info: RunInfo) -> None:
        """Another run: forget the last one, and have what belongs to this kind of system."""
        self.frame, self.selection = None, Select()
        self.inspectors.begin(info)
        if info is not self.info:
            self.info = info
            for dock in self.docks.values():
                dock.panel.forget()
        self.panels.show_system(info.system)
        self.transport.set_system(info.system, info.event_kinds)

    def _take_info(self, info: RunInfo) -> None:
        self.begin(info)
        self.panels.choose_fronts()
        self.transport.set_info(info)
        self.own_policy.follow(info)
        policies = self.compare.policies or info.policy_title
        self.setWindowTitle(f"{info.scenario_name}: {policies} - slotscope")
        for text in info.warnings:
            self.say(text)
        self._solve(info)

    def _solve(self, info: RunInfo) -> None:
        """Let the programs of the scenario be solved beside the run."""
        worker = self.worker

        def deliver(bounds: Any) -> None:  # in a thread that should not hold the window
            worker.post(lambda owner: owner.set_bounds(bounds, info))

        self._bounds.request(info.scenario, deliver)

    def _take_frame(self, frame: Frame) -> None:
        if frame.info is not self.info:  # of a run that was replaced meanwhile
            self.worker.take()
            return
        self.frame = frame
        self.transport.set_frame(frame)
        for dock in self.docks.values():
            self.show_in(dock)
        if frame.message != self._told:
            self._told = frame.message
            self._status.setText(frame.message)
        self._next.setText(self.compare.next_text(frame))
        self.lecture.follow()
        self.worker.take()

    def show_in(self, dock: PanelDock) -> None:
        """Show the last frame in a dock, unless nobody would see it."""
        frame = None if self.frame is None else dock.part(self.frame)
        if frame is not None and dock.panel.frame is not frame and (dock.seen or not frame.running):
            dock.panel.set_frame(frame)

    def seen_or_hidden(self, dock: PanelDock, seen: bool) -> None:
        """A dock behind another tab counts as hidden and costs nothing while running."""
        dock.seen = seen
        self.show_in(dock)

    def say(self, text: str) -> None:
        """Show a line in the status bar."""
        self._status.setText(text)

    def _refused(self, text: str) -> None:
        self.say(text)
        self.show_what_runs()

    def show_what_runs(self) -> None:
        """Let the boxes show what runs, and not what could not be opened."""
        if self.info is not None:
            self.transport.set_info(self.info)
        else:
            self.transport.scenario.setCurrentIndex(-1)

    def fail(self, fault: Fault) -> None:
        """Say what went wrong outside the panels; a button copies the details."""
        self.say(f"That could not be done: {fault.sentence}")
        self._fault_details = fault.details
        self._copy_fault.show()

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(self._fault_details)
        self._copy_fault.hide()

    def _progressed(self, progress: GoalProgress) -> None:
        """Say how far it is; once that is over, what the run said last."""
        self.transport.set_progress(progress)
        if progress.text:
            self.say(progress.text)
            self._progress = progress.text
        elif self._status.text() == self._progress:
            self.say(self._told)

    def _compiled(self, done: bool) -> None:
        """Say so, but not in place of what the run or the window has just said."""
        if not done:
            self.say("Compiling failed; the reference goes on running.")
        elif self._status.text() in {"", self._progress}:
            self.say("Compiled: the run is at full speed.")

    # Intents.

    def carry_out(self, intent: Intent) -> None:
        """Do what a panel asks for."""
        match intent:
            case GoTo(event, substep):
                self.control.go_to(event, substep)
            case RunUntil(event, time, kind):
                self.control.run_until(event, time, kind)
            case BreakAt(event):
                self.control.toggle_breakpoint(event)
            case Select(floating=True):
                self.inspectors.open(intent)
            case Select():
                self.select(intent)
            case Inspect():
                self.control.inspect(intent)
            case ApplyScenario(data, carry_on):
                self.control.apply(data, carry_on)
            case Differ(which, where):
                self.compare.go_to_difference(which, where)
            case Solve(wanted=False):
                self._bounds.stop()
            case Solve() if self.info is not None:
                self._solve(self.info)
            case Say(text):
                self.say(text)

    def select(self, selection: Select, lane: int = 0) -> None:
        """Point at something of a lane in every panel, and inspect it."""
        if lane == 0:
            self.selection = selection
        for dock in self.docks.values():
            dock.panel.set_selection(self.compare.selection_in(dock, selection, lane))
        self.inspectors.show(selection, lane)

    # Commands.

    def _handlers(self) -> dict[str, Callable[[], object]]:
        control = self.control
        return {
            "run": control.run_or_pause,
            "step": control.step,
            "into": control.step_into,
            "out": control.step_out,
            "step_back": control.step_back,
            "back_into": control.step_back_into,
            "to_start": control.to_start,
            "to_live_end": control.to_live_end,
            "stop": self.escape,
            "go_back": control.go_back,
            "express": control.express,
            "break_here": control.break_here,
            "to_next": lambda: control.run_until(kind=self.transport.kind.currentText()),
            "to_previous": lambda: control.back_to(self.transport.kind.currentText()),
            "slower": lambda: self.transport.change_speed(-1),
            "faster": lambda: self.transport.change_speed(1),
            "until": lambda: dialogs.ask_until(self),
            "breakpoints": lambda: dialogs.show_breakpoints(self),
            "open": lambda: dialogs.ask_open(self),
            "save": lambda: dialogs.ask_save(self),
            "save_scenario": lambda: dialogs.ask_save_scenario(self),
            "copy_line": self.copy_line,
            "quit": self.close,
            "lecture": self.lecture.toggle,
            "dark": self.toggle_theme,
            "reset_layout": self.reset_layout,
            "undo_layout": self.layouts.undo,
            "full_screen": self.toggle_full_screen,
            "help": lambda: dialogs.show_help(self, manual.page_of(self.info)),
            "shortcuts": lambda: dialogs.show_shortcuts(self),
            "experiments": self.experiments.show,
            "about": lambda: dialogs.show_help(self, "about"),
        }

    def escape(self) -> None:
        """Close what is in front of the window; where nothing is, stop what runs long."""
        front = dialogs.in_front(self)
        if front is not None:
            front.close()
        else:
            self.control.pause()

    def copy_line(self) -> None:
        """Copy the command that opens this moment, or say what to save where there is none."""
        if self.frame is None:
            return
        line = self.frame.opening_line
        if line:
            QGuiApplication.clipboard().setText(line)
        self.say(f"Copied: {line}" if line else f"Nothing is copied: {NO_LINE}.")

    def toggle_theme(self) -> None:
        """Change between dark and light."""
        self.set_theme("light" if self.theme.dark else "dark")

    def set_theme(self, name: str) -> None:
        """Show the window in a theme."""
        self.theme = themes.load_theme(name)
        self.settings.setValue("theme", name)
        self.actions_by_name["dark"].setChecked(self.theme.dark)
        self.restyle()

    def restyle(self) -> None:
        """Follow the theme and the size of type."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        themes.apply(application, self.theme, self.lecture.on)
        self.actions_by_name.restyle(self.theme)
        self.transport.set_theme(self.theme)
        self.experiments.set_theme(self.theme)
        for dock in self.docks.values():
            dock.set_theme(self.theme)
        self.lecture.restyle()

    def reset_layout(self) -> None:
        """Put every panel back where it was at first."""
        self.layouts.reset()
        self.say("The default layout is back; Ctrl+Z takes that back.")

    def toggle_full_screen(self) -> None:
        """Fill the screen, and back."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def open_path(self, path: Path) -> None:
        """Open a scenario file or a saved session."""
        if path.suffix == ".slotscope":
            self.control.open_session(path)
        else:
            self.traces.open(str(path))

    # Photographs.

    def stand_at(
        self,
        scenario: str,
        policies: tuple[str, ...],
        seed: int | None,
        trace: tuple[str, ...],
        at: float | None,
        moment: Moment | None,
    ) -> None:
        """Open a scenario and stand at a time or event, at once and in this thread.

        Raises
        ------
        UserError
            If it cannot be opened.
        """
        session = open_run(scenario, policies, seed, trace)
        if moment is not None:
            stand_at(session, moment)
        else:
            session.run(until=float(session.bench.scenario.run.warmup) if at is None else at)
        self.compare.take_run(session)
        self._take_info(session.info)
        self.panels.finish()
        *_, bounds = session.bench.kind.all_bounds(session.info.scenario)
        self._take_frame(session.frame(bounds=bounds))

    def settle(self) -> None:
        """Let everything be laid out and painted."""
        for _ in range(5):
            QApplication.processEvents()
            for dock in self.docks.values():
                part = None if self.frame is None else dock.part(self.frame)
                if part is not None:
                    dock.panel.set_frame(part)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A policy of one's own may be dropped, if the kind of system takes any, or a trace."""
        if self.traces.dropped(event.mimeData()):
            event.acceptProposedAction()
        if not self.own_policy.dropped(event.mimeData()):
            return
        refusal = own_refusal(self.panels.system)
        if refusal:
            self.say(f"The file cannot be taken: {refusal}")
        else:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Run the policy in the file that was dropped, or the scenario with that trace."""
        event.acceptProposedAction()
        if files := self.traces.dropped(event.mimeData()):
            self.traces.choose(files)
            return
        self.own_policy.choose(self.own_policy.dropped(event.mimeData()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Panels keep their shares of the window."""
        super().resizeEvent(event)
        if self.lecture.on:
            self.lecture.fit()
        else:
            self.layouts.apply()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the layout and end the threads."""
        if self.panels.complete:
            self.settings.setValue(self.compare.layout_key, self.layouts.text())
        self.settings.setValue("geometry", self.saveGeometry())
        self._bounds.stop()
        self.experiments.stop()
        self.worker.stop()
        super().closeEvent(event)
