"""The scenario form: fields with errors beside them, and buttons to apply it."""

from __future__ import annotations

from itertools import count
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from slotscope.gui.intents import ApplyScenario
from slotscope.gui.language.words import tr
from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.scenario_cells import CellGrid, ScenarioCell, StartCell, TypeCard
from slotscope.gui.panels.scenario_fields import (
    PARAMETERS,
    Check,
    as_text,
    check,
    copied,
    dotted,
    parameters_of,
    put,
    titles_with,
)
from slotscope.gui.panels.scenario_leaves import ShapeCell, leaf_cells
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.rows import STRETCH, in_column, in_row
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.scenario.load import Scenario, as_data

#: The section of data that only kinds of system without job types have.
_OTHERS = "Jobs and arrivals"
HEADINGS = ("Scenario", "Policy", "Servers", _OTHERS, "Job types")

#: Keys shown in other sections, or without a field.
_SHOWN_ELSEWHERE = {"title", "description", "paper", "seed", "run", "system", "resources", "servers", "policy"}

#: Milliseconds after the last keystroke until the form is validated.
_PATIENCE = 200


class ScenarioPanel(Panel):
    """The scenario as a form; applying it restarts the run or continues it."""

    name = "scenario"
    title = "Scenario"
    summary = "Job types, servers, policy and seed; edit them and restart or continue."

    refused = Signal(str)  #: why the last request was refused; emitted in the run's thread

    def build(self) -> None:
        """Create the sections in a scroll area, and the buttons below."""
        self._info: RunInfo | None = None
        self.refused.connect(self._say_refused)
        self._base: dict[str, Any] = {}
        self._clean: dict[str, Any] = {}
        self._filling = False
        self._typed: dict[tuple[str, object], str] = {}  # values typed for parameters, by policy, to restore them
        self.cards: list[TypeCard] = []
        self._cells: list[ScenarioCell] = []
        self._policy = ""
        self._sections: dict[str, CellGrid] = {}
        self._headings: dict[str, QLabel] = {}
        self._timer = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._timer.timeout.connect(self.validate)
        form = QWidget()
        self._form = in_column(form, margins=(10, 4, 10, 10), spacing=4)
        self._start: StartCell | None = None
        for heading in HEADINGS:
            self._add_section(heading)
        self._types = in_column(None, spacing=6)
        self._form.addLayout(self._types)
        self.add = push_button(tr("Add a job type"))
        self.add.setToolTip(tr("Add a job type: a copy of the last one, to be changed."))
        self.add.clicked.connect(self.add_type)
        self._form.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._form.addStretch(1)
        self.area = scrolled(form, self.body)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        in_column(self.body, (self.area, 1), self._footer(), spacing=0)

    def _add_section(self, heading: str) -> None:
        label = QLabel(tr(heading))
        label.setContentsMargins(0, 8, 0, 0)
        self._headings[heading] = label
        self._form.addWidget(label)
        grid = CellGrid()
        self._sections[heading] = grid
        self._form.addWidget(grid)

    def _footer(self) -> QVBoxLayout:
        self.message = QLabel(self.body, wordWrap=True)
        self.restart = push_button(tr("Restart"))
        self.restart.setToolTip(tr("Restart: run this scenario from time 0."))
        self.restart.clicked.connect(lambda: self.apply(carry_on=False))
        self.go_on = push_button(tr("Continue"))
        self.go_on.setToolTip(
            tr(
                "Continue: go on from the present state under these rules, with new arrivals. Possible while "
                "the servers and the names of the job types stay the same. I goes on with the same jobs."
            )
        )
        self.go_on.clicked.connect(lambda: self.apply(carry_on=True))
        self.fork = push_button(tr("Fork"))
        self.fork.setToolTip(
            tr("Fork: go on from the present state under these rules with the same jobs, beside the run that is left.")
        )
        self.fork.clicked.connect(lambda: self.apply(carry_on=True, beside=True))
        self.revert = push_button(tr("Revert"))
        self.revert.setToolTip(tr("Revert: drop the edits and show what runs."))
        self.revert.clicked.connect(self.reload)
        self._give_room()
        return in_column(None, self.message, in_row(None, *self._buttons, STRETCH), margins=(10, 6, 10, 8))

    @property
    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.restart, self.fork, self.go_on, self.revert

    def _give_room(self) -> None:
        """Make the buttons wide enough for their texts; in lecture mode the panel grants their full size hints."""
        for button in self._buttons:
            words = button.fontMetrics().horizontalAdvance(button.text()) + 8
            button.setMinimumWidth(button.sizeHint().width() if current_fonts().lecture else words)

    # Filling.

    def show_frame(self, frame: Frame) -> None:
        """Show the current scenario, unless edits would be lost."""
        if frame.info is self._info:
            return
        first = self._info is None
        self._info = frame.info
        running = as_data(frame.info.scenario)
        if first or not self.edited or self._says(running):
            self._fill(running)
        else:
            self.validate()

    def _says(self, running: dict[str, Any]) -> bool:
        """Whether the form describes the scenario that runs now."""
        checked = check(self.data())
        return checked.scenario is not None and as_data(checked.scenario) == running

    def reload(self) -> None:
        """Discard the edits."""
        if self._info is not None:
            self._fill(as_data(self._info.scenario))

    def _fill(self, data: dict[str, Any]) -> None:
        self._filling = True
        self._base = data
        self._typed.clear()
        self._cells = []
        self._fill_section("Scenario", self._scenario_cells(data))
        typed = "job_types" in data
        self._start = self._start_cell(data) if typed else None
        self._fill_section("Servers", self._server_cells(data))
        self._fill_section(_OTHERS, _other_cells(data))
        for part, shown in (
            (self._headings[_OTHERS], not typed),
            (self._headings["Job types"], typed),
            (self.add, typed),
        ):
            part.setVisible(shown)
        titles = list(titles_with(data["policy"]["name"], data["system"]).items())
        self.policy = ScenarioCell("policy", ("policy", "name"), "Policy: who decides.", titles, columns=2)
        self._fill_section("Policy", [self.policy])
        self._fill_parameters(self.policy.text)
        self.policy.edited.connect(self._change_policy)
        for card in self.cards:
            self._drop(card)
        self.cards = []
        for job_type in data.get("job_types", ()):
            self._append(copied(job_type))
        self.restyle(self.theme)
        self._filling = False
        self._clean = self.data()
        self.validate()

    def _fill_section(self, heading: str, cells: list[ScenarioCell]) -> None:
        for cell in cells:
            cell.fill(self._base)
            cell.edited.connect(self._edited)
            if isinstance(cell, ShapeCell):
                cell.edited.connect(lambda cell=cell: self._reshape(cell))
        self._cells += cells
        self._sections[heading].set_cells(cells)

    def _reshape(self, cell: ShapeCell) -> None:
        """Replace the value at a cell's place by one of another shape, and create its fields."""
        data = self.data()
        other = cell.other(data)
        if other is None:
            return
        put(data, cell.place, other)
        self._base = data
        self._cells = [one for one in self._cells if one.path[0] in _SHOWN_ELSEWHERE]
        self._fill_section(_OTHERS, _other_cells(data))
        self.restyle(self.theme)
        again = next(one for one in self._cells if one.path == cell.path)
        again.field.setFocus()

    def _scenario_cells(self, data: dict[str, Any]) -> list[ScenarioCell]:
        unit = data["run"].get("time_unit", "")
        within = f", in {unit}" if unit else ""
        return [
            ScenarioCell("title", ("title",), "Title: one line about the scenario.", columns=99, words=True),
            ScenarioCell("seed", ("seed",), "Seed: the same seed gives the same jobs under any policy."),
            ScenarioCell("run until", ("run", "until"), f"End: of a run without drawing{within}."),
            ScenarioCell("warm-up", ("run", "warmup"), f"Warm-up: left out of the averages{within}."),
        ]

    @staticmethod
    def _start_cell(data: dict[str, Any]) -> StartCell:
        names = [item["name"] for item in data["job_types"]]
        return StartCell(names, data["initial"]["start"] == "given")

    def _server_cells(self, data: dict[str, Any]) -> list[ScenarioCell]:
        if self._start is None:
            return leaf_cells(data["servers"], ("servers",))
        units = {item["name"]: item.get("unit", "") for item in data["resources"]}
        capacities = [
            ScenarioCell(
                f"{name}, in {units[name]}" if units.get(name) else name,
                ("servers", "capacity", name),
                f"Capacity: {name} of each server.",
            )
            for name in data["servers"].get("capacity", {})
        ]
        load = ScenarioCell("load ×", ("workload", "scale"), "Load: the workloads of all job types times this.")
        return [
            ScenarioCell("servers <i>L</i>", ("servers", "count"), "Servers: how many there are."),
            *capacities,
            *([load] if data["workload"]["kind"] == "poisson" else []),
            self._start,
        ]

    def _fill_parameters(self, policy: str) -> None:
        """Create the fields of a policy's parameters, with values typed for it before."""
        self._policy = policy
        cells = []
        for name, default, choices in parameters_of(policy, self._base["system"]):
            label = name.replace("_", " ")
            unless = f", {default} unless given" if default else ""
            tip = f"{label.capitalize()}: a parameter of the policy{unless}."
            titled = [(item, as_text(item)) for item in choices]
            cell = ScenarioCell(label, (*PARAMETERS, name), tip, titled, 2, True, default=default)
            if isinstance(cell.field, QLineEdit):
                cell.field.setPlaceholderText(default)
            cells.append(cell)
        self._cells = [cell for cell in self._cells if cell.path[:2] != PARAMETERS]
        for cell in cells:
            cell.fill(self._base)
            cell.set_text(self._typed.get((policy, cell.path[-1]), cell.text))
            cell.edited.connect(self._edited)
            cell.restyle(self.theme)
        self._cells += cells
        self._sections["Policy"].set_cells([self.policy, *cells])

    def _change_policy(self) -> None:
        for cell in self._cells:
            if cell.path[:2] == PARAMETERS:
                self._typed[self._policy, cell.path[-1]] = cell.text
        self._fill_parameters(self.policy.text)

    def _append(self, job_type: dict[str, Any]) -> TypeCard:
        card = TypeCard(job_type, tuple(self._base["servers"].get("capacity", {})))
        card.edited.connect(self._edited)
        card.removed.connect(lambda: self.remove_type(card))
        self.cards.append(card)
        self._types.addWidget(card)
        return card

    def _drop(self, card: TypeCard) -> None:
        self._types.removeWidget(card)
        card.hide()
        card.deleteLater()

    def add_type(self) -> None:
        """Add a job type, a copy of the last one with a new name."""
        names = {card.name for card in self.cards}
        number = next(n for n in count(len(names) + 1) if f"type {n}" not in names)
        card = self._append(self.cards[-1].data() | {"name": f"type {number}"})
        self._restyle_cards()
        self._edited()
        card.cells[0].field.setFocus()
        QTimer.singleShot(0, card, lambda: self.area.ensureWidgetVisible(card))

    def remove_type(self, card: TypeCard) -> None:
        """Remove a job type."""
        self.cards.remove(card)
        self._drop(card)
        self._restyle_cards()
        self._edited()

    # Checking.

    def data(self) -> dict[str, Any]:
        """The scenario as edited in the form; data without a field is kept."""
        data = copied(self._base)
        if self.policy.text != data["policy"]["name"]:
            data["policy"]["parameters"] = {}
        for cell in self._cells:
            cell.store(data)
        if "job_types" in data:
            data["job_types"] = [card.data() for card in self.cards]
        return data

    @property
    def edited(self) -> bool:
        """Whether the form differs from its state when it was filled."""
        return self.data() != self._clean

    def _edited(self) -> None:
        if not self._filling:
            if self._start is not None:
                self._start.set_names([card.name for card in self.cards])
            self._timer.start()

    def validate(self) -> Check:
        """Validate the form: show each error beside its field, and enable the applicable buttons."""
        self._timer.stop()
        checked = check(self.data())
        self._show(checked)
        return checked

    def _show(self, checked: Check) -> None:
        faults: dict[ScenarioCell, list[str]] = {}
        homeless: list[str] = []
        cells = self._by_path()
        for problem in checked.problems:
            cell = _cell_for(problem.where, cells)
            if cell is None:
                homeless.append(": ".join(part for part in problem if part))
            else:
                faults.setdefault(cell, []).append(problem.message)
        for cell in cells.values():
            cell.set_error("; ".join(faults.get(cell, ())), self.theme)
        edited = self.edited
        self.restart.setEnabled(checked.scenario is not None)
        for button in (self.fork, self.go_on):
            button.setEnabled(edited and self._can_continue(checked))
        self.revert.setEnabled(edited)
        self._say(len(faults), homeless, checked.warnings, edited)

    def _by_path(self) -> dict[str, ScenarioCell]:
        found = {dotted(cell.path): cell for cell in self._cells}
        for number, card in enumerate(self.cards):
            found |= {dotted(("job_types", number, *cell.path)): cell for cell in card.all_cells}
        return found

    def _can_continue(self, checked: Check) -> bool:
        if checked.scenario is None or self._info is None:
            return False
        running, wanted = self._info.scenario, checked.scenario
        return bool(
            wanted.system == running.system and wanted.servers == running.servers and _kept(wanted) == _kept(running)
        )

    def _say(self, faults: int, homeless: list[str], warnings: tuple[str, ...], edited: bool) -> None:
        color = self.theme.muted
        if faults or homeless:
            color = self.theme.ink(self.theme.rejection)
            fields = tr("{count} fields need attention.") if faults > 1 else tr("1 field needs attention.")
            text = "; ".join(homeless) or fields.format(count=faults)
        elif edited and self._info is not None and self._clean != as_data(self._info.scenario):
            text = tr("The run uses another scenario: Revert to load it.")
        elif warnings:
            text = f"{'; '.join(warnings)}."
        elif edited and not self.fork.isEnabled():
            text = tr("Edited, not applied yet. Other servers, or types of jobs, need a restart.")
        else:
            text = tr("Edited, not applied yet.") if edited else tr("This is what runs.")
        self._put(text, color)

    def _put(self, text: str, color: str) -> None:
        self.message.setText(text)
        self.message.setStyleSheet(f"color: {color}")

    def apply(self, carry_on: bool, beside: bool = False) -> None:
        """Ask for a run of the edited scenario, if it is valid."""
        self._timer.stop()
        checked = check(self.data(), thoroughly=True)
        self._show(checked)
        if checked.scenario is not None and (self._can_continue(checked) or not carry_on):
            self.intent.emit(ApplyScenario(as_data(checked.scenario), carry_on, beside, self.refused.emit))

    def _say_refused(self, text: str) -> None:
        """Show in the form why its request was refused, until the next edit or run: the status line has other news."""
        self._put(text, self.theme.ink(self.theme.rejection))

    # Looks.

    def restyle(self, theme: Theme) -> None:
        self._give_room()
        for label in self._headings.values():
            label.setStyleSheet(f"color: {theme.normal}; font-weight: bold")
        for cell in self._cells:
            cell.restyle(theme)
        self._restyle_cards()
        if self._base:
            self.validate()

    def _restyle_cards(self) -> None:
        for number, card in enumerate(self.cards):
            card.restyle(self.theme, number, only=len(self.cards) == 1)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._info is not None:
            self._restyle_cards()


def _kept(scenario: Scenario) -> list[tuple[str, object]]:
    """What must stay the same for a run to be continued: the names of types or classes, and their speed-ups."""
    items = getattr(scenario, "job_types", getattr(scenario, "classes", ()))
    return [(item.name, getattr(item, "speedup", None)) for item in items]


def _other_cells(data: dict[str, Any]) -> list[ScenarioCell]:
    """Cells for the data that only kinds of system without job types have."""
    if "job_types" in data:
        return []
    return [cell for name, item in data.items() if name not in _SHOWN_ELSEWHERE for cell in leaf_cells(item, (name,))]


def _cell_for(where: str, cells: dict[str, ScenarioCell]) -> ScenarioCell | None:
    """The cell at a path; else the nearest one that contains it, else the first one in the table at the path."""
    if where in cells:
        return cells[where]
    holding = [path for path in cells if where.startswith((f"{path}.", f"{path}["))]
    if holding:
        return cells[max(holding, key=len)]
    return next((cell for path, cell in cells.items() if where and path.startswith((f"{where}.", f"{where}["))), None)
