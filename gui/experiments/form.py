"""The form below the list: scale, worker processes, folder for results, and what to sweep."""

from __future__ import annotations

import math
import os
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSettings, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from slotscope.gui.experiments.fields import (
    CaptionedField,
    ChoiceField,
    FolderField,
    LineField,
    LinesField,
    NumberField,
    TraceField,
    words_of,
)
from slotscope.gui.experiments.laboratory import Order
from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.rows import in_column
from slotscope.model.cli.parser import MOST_SEED
from slotscope.model.errors import TraceError, UserError
from slotscope.model.folders import working_folder
from slotscope.model.lab import check_beside, experiment_module, experiments
from slotscope.model.lab.plan import Options
from slotscope.model.lab.results import prepare
from slotscope.model.lab.sweep import Sweep, axis
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.scenario.load import Scenario
from slotscope.model.traces.excerpts import FOR_EXPERIMENTS

#: The key of the list's entry for sweeps, which is not a paper's experiment.
SWEEP = "sweep"

#: The default folder for results, as on the command line.
FOLDER = "slotscope-results"

SCALES = {"quick": "quick: about a minute", "paper": "paper: as far as the paper goes"}
_SETTINGS = "experiments"
_MOST_WORKERS, _MOST_REPLICATIONS = 1024, 100_000
_EXAMPLE = "servers.count = 20, 60, 180"

#: Further examples (table, field, values), for scenarios that have the table and the field.
_OTHERS = (
    ("workload", "intensity", "0.7, 0.8, 0.9"),
    ("workload", "load", "0.7, 0.8, 0.9"),
    ("workload", "alpha", "0, 1/2, 2/3"),
    ("workload", "scale", "10, 20, 40"),
    ("servers", "most_jobs", "2, 4, 8"),
)


class OrderForm(QWidget):
    """The fields for the chosen entry; makes an order of their values, or shows the errors in them.

    Signals: ``moved`` (scale, folder, trace or policies beside have changed, so other results of earlier runs
    may apply), ``edited`` (any field has changed).
    """

    moved = Signal()
    edited = Signal()

    def __init__(self, settings: QSettings, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._info: RunInfo | None = None
        self._given = ""  # the policy that the form itself entered
        self.key = ""
        self.scale = ChoiceField(
            tr("Sca&le"), tr("How much is simulated."), {key: tr(words) for key, words in SCALES.items()}
        )
        self._make_fields_of_a_sweep()
        self.trace = TraceField()
        self.workers = NumberField(
            tr("&Worker processes"),
            tr("How many work at the same time; the result does not depend on it."),
            _processors(),
            1,
            _MOST_WORKERS,
        )
        self.folder = FolderField()
        self.trace.line.setPlaceholderText(FOR_EXPERIMENTS.about)
        self._build()
        self.restyle(theme)
        self._restore()

    def _make_fields_of_a_sweep(self) -> None:
        self.values = LinesField(
            tr("&Values, a line for each field"),
            tr("A field of the scenario and the values that it takes, such as {example}.").format(example=_EXAMPLE),
            3,
        )
        self.policies = LinesField(
            tr("&Policies, a line for each"),
            tr("Policies to compare, with parameters where wanted, as in power-of-d:choices=5."),
            2,
        )
        self.beside = LinesField(
            tr("&Policies beside, a line for each"),
            tr("Other policies in the same figure, also of your own, such as my_policy.py."),
            2,
        )
        self.until = LineField(tr("&Until t ="), tr("When each run ends; empty: as the scenario says."))
        self.seed = LineField(
            tr("F&irst seed"), tr("That of the first replication; the others have the next ones. Empty: the run's.")
        )
        self.replications = NumberField(
            tr("R&eplications"), tr("Runs of each combination, on other seeds."), 4, 1, _MOST_REPLICATIONS
        )

    @property
    def fields(self) -> tuple[CaptionedField, ...]:
        """All fields, from top to bottom."""
        return (
            self.scale,
            self.values,
            self.policies,
            self.until,
            self.seed,
            self.replications,
            self.beside,
            self.trace,
            self.workers,
            self.folder,
        )

    def _build(self) -> None:
        column = in_column(self, margins=(10, 8, 10, 8), spacing=6)
        for field in self.fields:
            column.addWidget(field)
            field.edited.connect(self.edited)
            field.edited.connect(lambda one=field: one.fault.say(""))
        column.addStretch(1)
        for field in (self.scale, self.beside, self.trace, self.folder):
            field.edited.connect(self.moved)

    def _restore(self) -> None:
        def saved(name: str, default: str) -> str:
            return str(self._settings.value(f"{_SETTINGS}/{name}", default))

        self.folder.line.setText(saved("folder", str(working_folder() / FOLDER)))
        self.trace.line.setText(saved("trace", ""))
        self.workers.box.setValue(int(saved("workers", str(_processors()))))

    def remember(self) -> None:
        """Save the fields common to all experiments in the settings, for the next start."""
        for name, value in (
            ("folder", self.folder.text),
            ("trace", self.trace.text),
            ("workers", str(self.workers.box.value())),
        ):
            self._settings.setValue(f"{_SETTINGS}/{name}", value)

    # What the fields are for.

    def set_entry(self, key: str) -> None:
        """Show the fields of another entry of the list."""
        self.key = key
        sweep = key == SWEEP
        for field in (self.values, self.policies, self.until, self.seed, self.replications):
            field.setVisible(sweep)
        self.scale.setVisible(not sweep)
        self.beside.setVisible(not sweep and experiments()[key].compares)
        self.trace.setVisible(not sweep and experiments()[key].needs_trace)

    def follow(self, info: RunInfo) -> None:
        """Follow another open scenario; its policy is entered unless the user has entered others."""
        self._info = info
        if not self.policies.lines or self.policies.lines == [self._given]:
            self._given = info.origin.policy
            self.policies.area.setPlainText(self._given)
        self.until.line.setPlaceholderText(f"{float(info.scenario.run.until):g}")
        self.seed.line.setPlaceholderText(str(info.seed))
        self.values.area.setPlaceholderText("\n".join(_examples(info.scenario)))

    @property
    def scenario_title(self) -> str:
        """The name of the scenario that a sweep varies; empty if none is open."""
        return self._info.scenario_name if self._info is not None else ""

    def restyle(self, theme: Theme) -> None:
        for field in self.fields:
            field.restyle(theme)

    # Faults.

    def show_error(self, error: UserError) -> bool:
        """Show an error at the field that caused it; returns False if no visible field did."""
        field = self._field_of(error)
        if field is None or not field.isVisibleTo(self):
            return False
        field.fault.say(words_of(error))
        field.editor.setFocus()
        return True

    def _field_of(self, error: UserError) -> CaptionedField | None:
        if isinstance(error, TraceError):
            return self.trace
        named = {
            "--policy": self.policies if self.key == SWEEP else self.beside,
            "--vary": self.values,
            "--trace": self.trace,
            "--warmup": self.until,
            "--until": self.until,
            "--seed": self.seed,
            "--out": self.folder,
        }
        found = [field for option, field in named.items() if option in error.where]
        if str(self.folder.path) in error.where:
            found.append(self.folder)
        return found[0] if found else None

    def clear_faults(self) -> None:
        """Remove the errors from all fields."""
        for field in self.fields:
            field.fault.say("")

    # Orders.

    def order(self) -> Order | None:
        """The order for the chosen entry; None if a field has an error, which is then shown."""
        self.clear_faults()
        try:
            folder = self._folder()
            return self._sweep(folder) if self.key == SWEEP else self._experiment(folder)
        except UserError as error:
            self.show_error(error)
            return None

    def order_of(self, key: str) -> Order:
        """The order for an experiment from the fields, unchecked, for looking up earlier results."""
        trace = self.trace.paths or (str(FOR_EXPERIMENTS.path),)
        return Order(
            key,
            lambda: experiment_module(key),
            self.folder.path,
            self.scale.value,
            Options(trace if experiments()[key].needs_trace else (), self._beside(key)),
            self.workers.box.value(),
        )

    def _beside(self, key: str) -> tuple[str, ...]:
        """The policies to run beside an experiment's own, if it accepts any."""
        return tuple(self.beside.lines) if experiments()[key].compares else ()

    def _folder(self) -> Path:
        if not self.folder.text:
            raise UserError("found nothing, allowed: a folder", where="--out")
        try:
            prepare(self.folder.path)
        except OSError as error:
            raise UserError(f"the folder cannot be made: {error.strerror or error}", where="--out") from None
        return self.folder.path

    def _experiment(self, folder: Path) -> Order:
        if experiments()[self.key].needs_trace:
            self._check_trace()
        check_beside(self.key, self._beside(self.key))
        return self.order_of(self.key)

    def _check_trace(self) -> None:
        for path in self.trace.paths:
            if not Path(path).exists():
                raise UserError(f"found '{path}', allowed: a file or folder that exists", where="--trace")

    def _sweep(self, folder: Path) -> Order:
        info = self._info
        if info is None:
            raise UserError("found no open scenario, allowed: one that is open", where="--vary")
        axes = tuple(axis(line) for line in self.values.lines)
        policies = self._policies(info)
        if not axes and len(policies) < 2:
            raise UserError(f"found nothing to vary, allowed: a line such as {_EXAMPLE}", where="--vary")
        until, seed, replications = self._until(), self._seed(info), self.replications.box.value()
        name = f"sweep-{Path(info.scenario_name).stem or 'scenario'}"
        trace = info.origin.trace or getattr(info.scenario.workload, "paths", ())

        def plan() -> Sweep:
            return Sweep(name, info.scenario, axes, policies, seed, replications, until, trace=tuple(trace))

        return Order(name, plan, folder, workers=self.workers.box.value())

    def _policies(self, info: RunInfo) -> tuple[str, ...]:
        """The sweep's policies; empty if it is only the scenario's own, so that rows need not name it."""
        policies = tuple(self.policies.lines)
        return () if policies == (info.scenario.policy.name,) else policies

    def _until(self) -> float | None:
        text = self.until.text
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value > 0):
            raise UserError(f"found '{text}', allowed: a time above 0, or nothing for the scenario's", where="--until")
        return value

    def _seed(self, info: RunInfo) -> int:
        text, most = self.seed.text, MOST_SEED - self.replications.box.value() + 1
        if not text:
            return info.seed
        if not text.isdecimal() or len(text) > len(str(most)) or int(text) > most:
            raise UserError(f"found '{text}', allowed: a whole number from 0 to {most}, or nothing", where="--seed")
        return int(text)


class FormArea(QScrollArea):
    """A scroll area whose preferred height is the form's, so that it scrolls only if room is short."""

    def __init__(self, form: OrderForm) -> None:
        super().__init__()
        self._form = form
        self.setWidget(form)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        layout = self._form.layout()
        width = max(self.viewport().width(), 1)
        assert layout is not None
        return QSize(
            self._form.sizeHint().width(),
            layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else self._form.sizeHint().height(),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the preferred height when fields or errors appear or disappear."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def _processors() -> int:
    """The number of processors minus one, which is left to the window; at least 1."""
    return max(1, (os.cpu_count() or 1) - 1)


def _examples(scenario: Scenario) -> list[str]:
    """At most two example lines that vary fields of the scenario."""
    found = [_EXAMPLE] if hasattr(scenario.servers, "count") else []
    if hasattr(scenario, "job_types"):
        found.append("job_types[0].workload = 1, 2, 4")
    found += [
        f"{table}.{field} = {numbers}"
        for table, field, numbers in _OTHERS
        if getattr(getattr(scenario, table), field, None) is not None
    ]
    return found[:2]
