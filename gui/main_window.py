"""The main window: transport bar at the top, panels in docks, and a status bar.

It owns the worker, hands frames to the visible panels, and carries out the intents of panels.
"""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import Any, Callable, Sequence

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QMenu, QWidget

from slotscope.gui import theme as themes
from slotscope.gui.docking.compare_docks import CompareDocks
from slotscope.gui.docking.dock_area import DockArea, DockWindow
from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.docking.layouts import soon
from slotscope.gui.docking.panel_docks import USUAL, PanelDocks
from slotscope.gui.experiments import Experiments
from slotscope.gui.faults import Fault, guard_classes
from slotscope.gui.intents import (
    ApplyScenario,
    Ask,
    AskWhy,
    BreakAt,
    Differ,
    Follow,
    GoTo,
    Inspect,
    Intent,
    OfferChoices,
    RunUntil,
    Say,
    Select,
    Solve,
    WhatIf,
)
from slotscope.gui.language.words import spoken, tr
from slotscope.gui.lessons.control import LessonControl
from slotscope.gui.lessons.start_page import show_start_page, shown_at_start
from slotscope.gui.running.bounds_service import BoundsService
from slotscope.gui.running.compare import CompareControl
from slotscope.gui.running.forks import fork
from slotscope.gui.running.own_policy import OwnPolicyFile
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.searches import look_at
from slotscope.gui.running.trace_choice import TraceChoice
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.sharing.control import SharingControl
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.gui.widgets.gestures import take_copy
from slotscope.gui.widgets.motion import settle
from slotscope.gui.window import dialogs, manual
from slotscope.gui.window.actions import Actions
from slotscope.gui.window.breakpoints_dialog import BreakpointsDialog
from slotscope.gui.window.forks_dialog import show_forks
from slotscope.gui.window.inspectors import DOCKED, Inspectors
from slotscope.gui.window.lecture import LectureMode
from slotscope.gui.window.status_line import StatusLine
from slotscope.gui.window.transport import TransportBar
from slotscope.model.comparison.runs import lanes_shown, open_run, stand_at
from slotscope.model.kinds.spec import kind_named
from slotscope.model.lessons.files import lesson_titles
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.running.origin import Moment
from slotscope.model.scenario.load import scenario_titles

#: Minimum width and height in pixels: a 1920x1080 screen scaled by two has 960x540.
_LEAST = (640, 400)


class MainWindow(DockWindow):
    """slotscope's window."""

    ready = Signal()

    def __init__(self, worker: RunWorker, settings: QSettings) -> None:
        guard_classes()
        super().__init__()
        self.setObjectName("slotscope")
        self.setWindowTitle("slotscope")
        self.worker, self.settings = worker, settings
        self.theme = themes.load_theme(str(settings.value("theme", "light")))
        self.view_menu = QMenu(self)
        self.control = RunControl(worker, self)
        self.area = DockArea(self, self.theme, USUAL)
        self.panels = PanelDocks(self.area, settings)
        self.lanes = CompareDocks(self.area, settings, self.view_menu)
        self.lecture = LectureMode(self.area, self.lanes)
        self.inspectors = Inspectors(self.area, self.lanes)
        self.experiments = Experiments(self, settings, self.theme, worker)
        self.lessons = LessonControl(self.area, self.lanes, self.lecture, worker, self.control, settings)
        lessons = self.lessons
        self.sharing = SharingControl(self.panels, self.area, worker, lambda: lessons.path, lessons.present)
        self.actions_by_name = Actions(self, self._handlers(), self.area.parted)
        self.transport = TransportBar(self.theme, self.actions_by_name)
        self.status = StatusLine()
        self._build()
        self._bounds = BoundsService()
        self.drawn = soon(self, worker.take)  #: hands the frame back to the worker once it is painted
        self.compare = CompareControl(self, self.control, worker, self.transport, self.lanes)
        self._connect()
        self.own_policy = OwnPolicyFile(self, settings, self.transport, worker, self.control)
        self.traces = TraceChoice(self, settings, self.transport, worker, self.control)
        self.setAcceptDrops(True)

    @property
    def docks(self) -> dict[str, PanelDock]:
        """All docks by name."""
        return self.area.docks

    @property
    def info(self) -> RunInfo | None:
        """The run that is shown; None before the first."""
        return self.area.info

    @property
    def frame(self) -> Frame | None:
        """The last frame shown of it."""
        return self.area.frame

    def _build(self) -> None:
        self.setDockNestingEnabled(True)
        self.setMinimumSize(*_LEAST)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocus()  # else the first combo box would take the focus and the first key press
        keep_keys(self)
        header = QWidget()
        self.setMenuWidget(header)
        self.menu_bar = dialogs.stack_header(
            header, self.actions_by_name, self.view_menu, self.transport, *self.lessons.rows, self.lecture.strip
        )
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setStatusBar(self.status)
        self.transport.set_scenarios(scenario_titles(), lesson_titles(spoken()))
        kind = kind_named(self.area.system)
        self.transport.set_system(kind.name, kind.vocabulary.event_kinds)
        self.actions_by_name["dark"].setChecked(self.theme.dark)
        self.actions_by_name.restyle(self.theme)

    def _connect(self) -> None:
        self.worker.framed.connect(self._take_frame)
        self.worker.leapt.connect(self.area.leap)
        self.worker.opened.connect(self._take_info)
        self.worker.refused.connect(self._refused)
        self.worker.compiled.connect(self.status.show_compiled)
        self.worker.progressed.connect(self.status.show_progress)
        self.worker.progressed.connect(self.transport.set_progress)
        self.worker.compiling.connect(self.transport.show_compiling)
        self.worker.laid_out.connect(self.lanes.arrange)
        self.worker.compared.connect(self._take_lanes)
        self.area.asked.connect(self.carry_out)
        for follow in (self._complete, self.lecture.resume, self.lessons.dress, self.ready):
            self.panels.completed.connect(follow)  # separate slots: if one fails, the others are still called
        self.panels.leaving.connect(self._leave_kind)
        self.lanes.changing.connect(self.lecture.suspend)
        self.lanes.changed.connect(self.lecture.resume)
        self.lecture.switched.connect(self._switch_lecture)
        self.lecture.led.connect(self.transport.set_led)
        for one in (self.area, self.experiments, self.lessons, self.sharing):
            one.said.connect(self.say)
        self.lessons.refused.connect(self.status.refuse_here)
        self.transport.chosen.connect(self.control.run_again)
        self.transport.lesson_chosen.connect(self.lessons.open)
        self.lessons.questions.held.connect(self.actions_by_name.hold)
        for row in (self.lessons.strip, self.lessons.offer):
            row.listed.connect(self.show_lessons)
        self.transport.paced.connect(self.control.set_pace)
        self.transport.history.sought.connect(self.control.go_to)

    # Panels.

    def _complete(self) -> None:
        """All panels are built: fill the *View* menu and build the docks of other lanes."""
        dialogs.fill_view_menu(self.view_menu, self.docks.values())
        try:
            self.lanes.allow()
        finally:
            self.worker.window_grows = False

    def _leave_kind(self) -> None:
        """Save and clear the lanes' layout before panels for another kind of system are built."""
        self.worker.window_grows = True
        self.lecture.suspend()
        self.lanes.keep_layout()
        self.lanes.clear()

    def _switch_lecture(self, on: bool) -> None:
        self.actions_by_name["lecture"].setChecked(on)
        self.menu_bar.setHidden(on)
        self.status.set_lecture(on)
        self.transport.set_lecture(on)
        self.restyle()

    # Frames.

    def begin(self, info: RunInfo) -> None:
        """Begin showing another run: forget the last one, and show the panels of its kind of system."""
        self.inspectors.begin(info)
        self.lessons.questions.forget()
        self.area.begin(info)
        self.panels.show_system(info.system)
        self.transport.set_system(info.system, info.event_kinds)

    def _take_info(self, info: RunInfo) -> None:
        self.begin(info)
        self.panels.choose_fronts()
        self.transport.set_info(info)
        self.own_policy.follow(info)
        for text in info.warnings:
            self.say(text)
        self._solve(info)

    def _take_lanes(self, lanes: Sequence[tuple[str, RunInfo]]) -> None:
        """Show several policies side by side, or one alone again."""
        if lanes:
            self.begin(lanes[0][1])
        self.compare.take(lanes)

    def _solve(self, info: RunInfo) -> None:
        """Start solving the scenario's linear programs in another process, beside the run."""
        worker = self.worker

        def deliver(bounds: Any) -> None:  # called in the bounds thread, which must not block the window
            worker.post(lambda owner: owner.set_bounds(bounds, info))

        self._bounds.request(info.scenario, deliver)

    def _take_frame(self, frame: Frame) -> None:
        # Through a timer, so that painting and other timers come first: slow frames would starve them.
        self.drawn.start()
        if self.info is None or frame.info.origin is not self.info.origin:  # a frame of a run that has been replaced
            return
        if frame.playing and frame is self.worker.outdated:  # outdated, e.g. by Esc: another one follows
            return
        self.transport.set_frame(frame)
        self.area.show_frame(frame)
        self.lessons.questions.follow(frame)
        self.status.show_run(frame.message, self.compare.next_text(frame), frame.why, (frame.event, len(frame.records)))
        self.lecture.follow()

    def say(self, text: str) -> None:
        """Show a line in the status bar."""
        self.status.say(text)

    def _refused(self, text: str) -> None:
        self.status.refuse(text)
        self.show_what_runs()

    def show_what_runs(self) -> None:
        """Reset the scenario and policy boxes to the run that is shown, after another one could not be opened."""
        if self.info is not None:
            self.transport.set_info(self.info)
        else:
            self.transport.show_nothing()

    def fail(self, fault: Fault) -> None:
        """Show a fault from outside the panels; also drop the still picture that lecture mode kept for new panels."""
        self.area.layouts.picture.let_go()
        self.status.fail(fault)

    # Intents.

    def carry_out(self, intent: Intent, lane: int = 0) -> None:
        """Carry out an intent of a panel that belongs to *lane*."""
        if lane and self._is_done_by(lane, intent):
            return
        match intent:
            case GoTo(event, substep):
                self.control.go_to(event, substep)
            case RunUntil(event, time, kind):
                self.control.run_until(event, time, kind)
            case BreakAt(what):
                self.control.toggle_breakpoint(what)
            case Select():
                self.inspectors.follow(intent, lane, not self.lecture.on)
            case AskWhy():
                self._ask_why(intent, lane)
            case Ask() | Inspect() | Follow():
                self.control.watch(intent)
            case ApplyScenario():
                self.control.apply(intent)
            case OfferChoices():
                self.worker.post(RunWorker.offer_choices)
            case WhatIf(decision, event):
                self._what_if(decision, event, lane)
            case Differ(which, where):
                self.compare.go_to_difference(which, where)
            case Solve(wanted=False):
                self._bounds.stop()
            case Solve() if self.info is not None:
                self._solve(self.info)
            case Say(text):
                self.say(text)

    def _is_done_by(self, lane: int, intent: Intent) -> bool:
        """Carry out an intent that means something else in a later lane than in the first; returns whether it was."""
        match intent:
            case GoTo(event, substep):
                self.compare.go_to(lane, event, substep)
            case RunUntil(event=int(event)):
                self.compare.run_until(lane, event, self.frame)
            case BreakAt():
                said = tr("Breakpoints are set in the log of the first policy, {policy}.")
                self.say(said.format(policy=self.compare.labels[0]))
            case Solve():
                pass  # the bounds belong to the first lane's scenario
            case _:
                return False
        return True

    def _ask_why(self, question: AskWhy, lane: int) -> None:
        """Show why something is where it is, in a visible inspector."""
        self.control.ask_why(question, lane)
        if self.lecture.on:
            self.lecture.put_answer(DOCKED, lane, question.over)
        elif not question.over:
            self.inspectors.bring(lane)

    def _what_if(self, decision: str, event: int | None, lane: int) -> None:
        """Fork the run with *decision*, or list the possible decisions after an event."""
        if decision:
            self.worker.post_instead(partial(fork, decision=decision, lane=lane))
            return
        show_forks(self, self.worker)
        if event is not None:
            self.carry_out(GoTo(event), lane)

    # Commands.

    def _handlers(self) -> dict[str, Callable[[], object]]:
        control = self.control
        return {
            **control.commands(),
            "stop": self.escape,
            "to_next": lambda: control.run_until(kind=self.transport.kind.currentText()),
            "to_previous": lambda: control.back_to(self.transport.kind.currentText()),
            "why": lambda: self.carry_out(AskWhy(self.area.selection.inspected)),
            "slower": lambda: self.transport.change_speed(-1),
            "faster": lambda: self.transport.change_speed(1),
            "until": lambda: dialogs.ask_until(self, self.transport.event_kinds, control.run_until, lambda: self.frame),
            "breakpoints": self.show_breakpoints,
            "what_if": lambda: self.carry_out(WhatIf()),
            "open": lambda: dialogs.ask_open(self, self.open_path),
            "save": lambda: dialogs.ask_save(self, lambda path: control.save(path, self.area.layouts.text())),
            "save_scenario": lambda: dialogs.ask_save_scenario(self, control.save_scenario),
            "export": lambda: dialogs.ask_export(self, control.export),
            **self.sharing.commands(),
            "lessons": self.show_lessons,
            **self.lessons.commands(),
            "quit": self.close,
            **self.lecture.commands(),
            "dark": self.toggle_theme,
            "reset_layout": self.reset_layout,
            "full_screen": self.toggle_full_screen,
            "help": lambda: self.show_help(manual.page_of(self.info)),
            "shortcuts": lambda: dialogs.show_shortcuts(self),
            "experiments": self.experiments.show,
            "about": lambda: self.show_help("about"),
        }

    def show_breakpoints(self) -> None:
        """Open the dialog of the run's breakpoints."""
        dialog = BreakpointsDialog(self, self.control, self.worker.breakpoints_told)
        if self.info is not None:
            dialog.field.set_words(self.info.words)
        dialog.open()

    def show_lessons(self) -> None:
        """Open the start page with all lessons and scenarios; the user's choice is opened."""
        show_start_page(self, self.settings, self.lessons.open, self.traces.open)

    def welcome(self) -> None:
        """Offer the tour in a row that leaves the run visible, or once answered the start page; not in a lecture."""
        if not self.lecture.on and not self.lessons.offer.offer() and shown_at_start(self.settings):
            self.show_lessons()

    def show_help(self, page: str) -> None:
        """Show a page of the manual; links of command lines in it open the run that they name."""
        dialogs.show_help(self, page, self._open_line)

    def _open_line(self, line: Namespace) -> None:
        self.control.open(line.scenario, line.policy, line.seed, line.event, beside=line.policies[1:])

    def escape(self) -> None:
        """Handle Esc, one level at a time: front dialog, focus of a field, run or long task, answer, lecture mode."""
        front = dialogs.in_front(self) or self.lessons.in_front
        if front is not None:
            front.close()
        elif isinstance(field := self.focusWidget(), QLineEdit | QAbstractSpinBox):
            field.clearFocus()
            self.control.pause()
        elif self.control.goes_on or not self.inspectors.close_answer(self.control.pause):
            self.lessons.presenter.end_show()

    def toggle_theme(self) -> None:
        """Switch between the dark and the light theme."""
        self.set_theme("light" if self.theme.dark else "dark")

    def set_theme(self, name: str) -> None:
        """Apply a theme to the window, and save the choice."""
        self.theme = themes.load_theme(name)
        self.settings.setValue("theme", name)
        self.actions_by_name["dark"].setChecked(self.theme.dark)
        self.restyle()

    def restyle(self) -> None:
        """Apply the current theme and font sizes to all parts."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        themes.apply(application, self.theme, self.lecture.on)
        self.actions_by_name.restyle(self.theme)
        for part in (self.transport, self.experiments, self.lessons, self.area):
            part.set_theme(self.theme)
        self.lecture.restyle()

    def reset_layout(self) -> None:
        """Restore the default dock layout."""
        self.area.layouts.reset()
        self.say(tr("The default layout is back; Ctrl+Z takes that back."))

    def toggle_full_screen(self) -> None:
        """Toggle full screen."""
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
    ) -> str | None:
        """Open a scenario and go to a time or event, synchronously; returns what is to be said of that moment.

        Raises UserError if it cannot be opened.
        """
        session = open_run(scenario, policies, seed, trace)
        said = None if moment is None else stand_at(session, moment)
        if moment is None:
            session.run(until=float(session.bench.scenario.run.warmup) if at is None else at)
        self._take_lanes(lanes_shown(session))
        self._take_info(session.info)
        self.panels.finish()
        look_at(session)
        self._take_frame(session.frame(bounds=self._bounds.solve(session.info.scenario)))
        return said

    def settle(self) -> None:
        """Process events until layouts, animations and paints are done."""
        settle(self.area.come_to_rest)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a policy file or a trace."""
        if event.source() is not None:  # a picture dragged out of this program
            return
        if self.traces.dropped(event.mimeData()) or self.own_policy.dropped(event.mimeData()):
            take_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Run the policy in the dropped file, or the scenario with the dropped trace."""
        take_copy(event)
        if files := self.traces.dropped(event.mimeData()):
            self.traces.choose(files)
            return
        self.own_policy.choose(self.own_policy.dropped(event.mimeData()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the panels' shares of the window."""
        super().resizeEvent(event)
        if self.lecture.on:
            self.lecture.fit()
        else:
            self.area.layouts.apply()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save layout and geometry, and end threads and processes."""
        self.lessons.end()
        self.sharing.end()
        self.lanes.keep_layout()
        self.settings.setValue("geometry", self.saveGeometry())
        self._bounds.stop()
        self.experiments.stop()
        self.worker.stop()
        super().closeEvent(event)
