"""A small dialog for a policy with other parameters; errors are shown beside the field."""

from __future__ import annotations

from fractions import Fraction
from typing import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.rows import in_column
from slotscope.model.policies.choice import choice_text
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.scenario.common import PolicyChoice


def ask_variant(window: QWidget, info: RunInfo | None, take: Callable[[str], str], worker: RunWorker) -> QDialog:
    """Ask for a policy to compare with; the dialog closes once that policy runs, else it shows what is wrong.

    *take* starts the comparison with the text that was typed, or returns what is wrong with it.
    """
    dialog = QDialog(window)
    dialog.setObjectName("variant")
    dialog.setWindowTitle(tr("Compare with"))
    field = QLineEdit()
    example = _example(info)
    field.setPlaceholderText(example)
    field.setAccessibleName(tr("policy and parameters"))
    fault = FaultLine()
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
    asks = QLabel(
        tr("A policy with other parameters, such as {example}, or the path of a policy file").format(example=example)
    )
    asks.setWordWrap(True)
    in_column(dialog, asks, field, fault, buttons, margins=None)

    def accept() -> None:
        policy = field.text().strip()
        if not policy:
            fault.say("found nothing, allowed: NAME or NAME:key=value,key=value")
        else:
            fault.say(take(policy))

    worker.refused.connect(fault.say)
    worker.compared.connect(dialog.accept)
    buttons.accepted.connect(accept)
    buttons.rejected.connect(dialog.reject)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.resize(460, dialog.sizeHint().height())
    dialog.open()
    field.setFocus()
    return dialog


def _example(info: RunInfo | None) -> str:
    """The current policy, with one of its own parameters if it has any."""
    if info is None:
        return "NAME:key=value"
    name, parameters = info.policy_name, info.parameters
    plain = {key: value for key, value in parameters if isinstance(value, int | Fraction | str)}
    numbers = {key: value for key, value in plain.items() if not isinstance(value, bool | str)}
    given = dict([*numbers.items(), *plain.items()][:1])
    return choice_text(PolicyChoice(name=name, parameters=given))
