"""Comparison of policies side by side: the menu, its commands, and requests from the docks of each lane."""

from __future__ import annotations

from functools import partial
from typing import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QDialog, QMainWindow, QMenu, QToolButton

from slotscope.gui.docking.compare_docks import CompareDocks
from slotscope.gui.language.words import tr
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.gui.widgets.file_dialogs import ask_file
from slotscope.gui.window.compare_form import ask_variant
from slotscope.gui.window.transport import TransportBar
from slotscope.model.comparison.companion import companion
from slotscope.model.comparison.comparison import MOST_LANES, Comparison
from slotscope.model.comparison.differences import DIFFERENCES
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.forks.changes import Course
from slotscope.model.policies import policy_titles
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.records import DEPARTURE, MOVE, SLOT

_TIP = "Compare\nPuts other policies, or other parameters, beside this one: the same jobs, clocks in step."


class CompareControl(QObject):
    """Starts and ends comparisons, and carries out navigation requested in the docks of further lanes."""

    def __init__(
        self, window: QMainWindow, control: RunControl, worker: RunWorker, transport: TransportBar, docks: CompareDocks
    ) -> None:
        super().__init__(window)
        self._window, self._control, self._worker, self._transport = window, control, worker, transport
        self.docks = docks
        self.beside: tuple[str, ...] = ()  #: the policies beside the first, as the user gave them
        self._info: RunInfo | None = None
        self._followed = 0
        self.menu = QMenu(window)
        self._build(transport.compare)
        self._worker.opened.connect(self._take_info)

    def _build(self, button: QToolButton) -> None:
        button.setObjectName("compare")
        button.setText(tr("Compare"))
        button.setAccessibleName(tr("Compare"))
        button.setToolTip(tr(_TIP))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setMenu(self.menu)
        self.menu.setToolTipsVisible(True)
        keep_keys(self.menu)
        self.menu.aboutToShow.connect(self.fill_menu)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the lanes; empty if one policy runs alone."""
        return self.docks.labels

    @property
    def policies(self) -> str:
        """The policies that run side by side, as one text; empty if one runs alone."""
        return " | ".join(self.labels)

    def take(self, lanes: Sequence[tuple[str, RunInfo]]) -> None:
        """Show these lanes, each as (label, RunInfo); empty if one policy runs alone."""
        self.beside = tuple(info.origin.policy for _, info in lanes[1:])
        self._followed = 0
        self.docks.show(tuple(label for label, _ in lanes))
        self._transport.compare.setText(tr("Comparing") if lanes else tr("Compare"))
        self._offer_kinds(bool(lanes) and lanes[0][1].kind.compares_decisions)
        if lanes:
            self._entitle(lanes[0][1])

    def _take_info(self, info: RunInfo) -> None:
        self._info = info
        self._entitle(info)

    def _entitle(self, info: RunInfo) -> None:
        """Set the window's title to scenario and policies, forks by their present names."""
        self._window.setWindowTitle(f"{info.scenario_name}: {self.policies or info.policy_title} - slotscope")

    def _offer_kinds(self, offered: bool) -> None:
        """Add decisions that differ to the kinds of event to run to, or remove them."""
        box = self._transport.kind
        for kind in DIFFERENCES:
            place = box.findText(kind)
            if offered and place < 0:
                box.addItem(kind)
            elif not offered and place >= 0:
                box.removeItem(place)

    # The menu.

    def fill_menu(self) -> None:
        """Fill the menu with what can be compared with the policy that runs."""
        self.menu.clear()
        full = len(self.beside) >= MOST_LANES - 1
        own = self._info.origin.policy if self._info is not None else ""
        titles = policy_titles(self._info.system) if self._info is not None else []
        for name, title in titles:
            if name != own:
                self._offer(name, title, full)
        labels = dict(zip(self.beside, self.labels[1:], strict=False))
        for given in self.beside:
            if given not in dict(titles):
                self._offer(given, given, full, labels.get(given, "") if Course.read(given).changes else "")
        self.menu.addSeparator()
        other = self.menu.addAction(tr("Other parameters ..."), self.ask_variant)
        file = self.menu.addAction(tr("From a file ..."), self._ask_file)
        file.setToolTip(tr("Compare with a policy of your own"))
        other.setEnabled(not full)
        file.setEnabled(not full)
        if self.labels:
            self._offer_lanes()
        self.menu.addSeparator()
        end = self.menu.addAction(tr("End comparison"), lambda: self.compare(()))
        end.setEnabled(bool(self.labels))

    def _offer(self, policy: str, title: str, full: bool, label: str = "") -> None:
        """Add a menu entry for a policy, under its own name, or for a fork, under the label of its docks."""
        action = self.menu.addAction(label.replace("&", "&&") or policy)
        action.setToolTip(title)
        action.setCheckable(True)
        running = policy in self.beside
        action.setChecked(running)
        action.setEnabled(running or not full)
        action.triggered.connect(lambda: self.toggle(policy))

    def _offer_lanes(self) -> None:
        """Add the submenu that chooses the lane whose decisions Shift+Right steps into."""
        menu = self.menu.addMenu(tr("Step into the decisions of"))
        keep_keys(menu)
        group = QActionGroup(menu)
        for lane, label in enumerate(self.labels):
            action = QAction(label, menu, checkable=True, checked=lane == self._followed)
            action.triggered.connect(lambda _=False, chosen=lane: self.follow(chosen))
            group.addAction(action)
            menu.addAction(action)

    def ask_variant(self) -> QDialog:
        """Ask for a policy with other parameters, in a dialog."""
        return ask_variant(self._window, self._info, self._take_variant, self._worker)

    def _take_variant(self, policy: str) -> str:
        if policy in self.beside:
            return tr("{policy} runs beside it already").format(policy=policy)
        self.toggle(policy)
        return ""

    def _ask_file(self) -> None:
        ask_file(self._window, tr("Policy file"), lambda path: self.toggle(str(path)), "Python (*.py)")

    # Commands to the worker.

    def toggle(self, policy: str) -> None:
        """Add a policy to the comparison, or remove it."""
        if policy in self.beside:
            self.compare(tuple(one for one in self.beside if one != policy))
        else:
            self.compare((*self.beside, policy))

    def compare(self, policies: tuple[str, ...]) -> None:
        """Run these policies beside the first; an empty tuple ends the comparison."""
        open_lanes = partial(self._worker.post_instead, lambda worker: _compare(worker, policies))
        self.docks.expect(1 + len(policies), open_lanes)

    def follow(self, lane: int) -> None:
        """Choose the lane that *step into* follows, where that lane takes part in an event."""
        self._followed = lane

        def command(worker: RunWorker) -> None:
            if isinstance(worker.session, Comparison):
                worker.session.followed = lane
                worker.refresh()

        self._worker.post(command)

    def go_to_difference(self, which: str, where: bool) -> None:
        """Go to just before the first, next or previous job that the lanes decide differently."""
        kind = next(kind for kind, counts in DIFFERENCES.items() if counts == where)
        if which == "next":
            self._control.run_until(kind=kind)
        elif which == "previous":
            self._control.back_to(kind)
        else:
            self._worker.post(lambda worker: _go_to_first(worker, kind, where))

    # What the docks of further lanes ask for.

    def go_to(self, lane: int, event: int, substep: int) -> None:
        """Go to the moment after an event of a lane."""
        self._worker.post_instead(lambda worker: worker.walk(lambda run: _seek_in(run, lane, event, substep)))

    def run_until(self, lane: int, event: int, frame: Frame | None) -> None:
        """Run until the time of an event of *lane* that is in the lane's rows of *frame*."""
        if frame is None or lane > len(frame.companions):
            return
        rows = frame.companions[lane - 1].rows
        times = rows["time"][rows["event"] == event]
        if len(times):
            self._control.run_until(time=float(times[0]))

    # The status bar.

    def next_text(self, frame: Frame) -> str:
        """A text on the event that happens now or next, and under which policies."""
        standing = frame.comparison
        if frame.running:
            return ""
        lanes = (0,) if standing is None else standing.next_lanes
        if not lanes:
            return ""
        part = frame if lanes[0] == 0 else frame.companions[lanes[0] - 1]
        if part.next_event is None:
            return ""
        event, narrator = part.next_event, part.info.narrator
        what, where = narrator.event(event), ""
        if standing is not None and len(lanes) < len(standing.labels):
            where = f" ({', '.join(standing.labels[lane] for lane in lanes)})"
        elif standing is not None and event.kind in {DEPARTURE, MOVE}:
            what = narrator.event_anywhere(event)
        at = "" if event.kind == SLOT else f" at t = {event.time:.4f}"  # a slot's number is its time
        when = tr("now") if part.records else tr("next")
        return f"{when}: {what}{where}{at}"


def _compare(worker: RunWorker, policies: tuple[str, ...]) -> None:
    run = worker.session
    if run is None:
        return
    first, *others = lanes_of(run)
    time = run.timeline.time
    worker.rest()
    if not policies:
        first.timeline.observe = None
        first.layout = ""
        worker.adopt(first)
        return
    kept = {lane.origin.policy: lane for lane in others}
    compiled = first.compiled
    sessions = [kept.get(policy) or companion(first, policy, compiled) for policy in policies]
    comparison = Comparison.of([first, *sessions])
    comparison.layout = ""
    worker.adopt(comparison)
    if comparison.timeline.time < time:
        said = tr("All stand at t = {time}, as far as the new policy came; run on from here.")
        worker.tell(said.format(time=f"{comparison.timeline.time:.4g}"))


def _go_to_first(worker: RunWorker, kind: str, where: bool) -> None:
    run = worker.session
    if not isinstance(run, Comparison):
        return
    if run.go_to_first_difference(where):
        worker.rest()
        worker.tell(tr("Just before the first decision that differs."))
        return
    run.to_live_end()
    worker.run(Goal(kind=kind, express=True))
    worker.tell(tr("No decision differs so far: running on to the first (Esc stops)."))


def _seek_in(run: Run, lane: int, event: int, substep: int) -> None:
    if isinstance(run, Comparison):
        run.seek(event, substep, lane)
