"""The dialog *What if*: possible changes from here on, and the tree of all forks."""

from __future__ import annotations

from functools import partial
from typing import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QSpinBox, QTreeWidget, QTreeWidgetItem, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.running import forks
from slotscope.gui.running.forks import ForkOffer
from slotscope.gui.running.worker import RunWorker
from slotscope.gui.widgets.boxes import ChoiceBox, changed_by_editing, push_button
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.model.forks.tree import Fork
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

_TEXT = Qt.ItemDataRole.UserRole

#: Least width in pixels, and in characters.
_LEAST, _WIDTH = 560, 64


def show_forks(parent: QWidget, worker: RunWorker) -> None:
    """Show the dialog *What if*, and stop the run."""
    worker.post(RunWorker.rest)
    shown = [dialog for dialog in parent.findChildren(ForksDialog) if dialog.isVisible()]
    dialog = shown[0] if shown else ForksDialog(parent, worker)
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


class ForksDialog(QDialog):
    """Forks the current run, and switches between forks; follows the run while open."""

    def __init__(self, parent: QWidget, worker: RunWorker) -> None:
        super().__init__(parent)
        self.setObjectName("forks")
        self.setWindowTitle(tr("What if"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        width = max(_LEAST, _WIDTH * self.fontMetrics().averageCharWidth())
        self.resize(width, 440)
        self._worker = worker
        self._offer: ForkOffer | None = None
        self._filled: object = None  # the forks in the tree, and those that ran when it was filled
        self.place = QLabel(wordWrap=True)
        self.decision = ChoiceBox()
        self.decision.setAccessibleName(tr("what is decided of the next event"))
        self.number = QSpinBox()
        self.number.setAccessibleName(tr("its number"))
        changed_by_editing(self.number)
        self.decide = push_button(tr("Decide so"))
        self.policy = QLineEdit()
        self.policy.setAccessibleName(tr("the policy that goes on from here"))
        self.go_on = push_button(tr("Go on so"))
        self.fault = FaultLine()
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("forks"))
        self.tree.setHeaderLabels([tr("Fork (F2 renames, Del removes)"), tr("after event")])
        self.tree.setColumnWidth(0, round(0.68 * width))
        self.tree.setEditTriggers(QTreeWidget.EditTrigger.EditKeyPressed)
        self._lay_out()
        self._connect()
        self._ask()

    def _lay_out(self) -> None:
        decision = in_row(None, (self.decision, 1), self.number, self.decide)
        policy = in_row(None, (self.policy, 1), self.go_on)
        in_column(self, self.place, decision, policy, self.fault, (self.tree, 1), margins=None)

    def _connect(self) -> None:
        worker = self._worker
        worker.framed.connect(self._follow)
        worker.forks_told.connect(self._show)
        self.decision.currentIndexChanged.connect(self._choose)
        for chosen in (self.decide.clicked, self.number.lineEdit().returnPressed):
            chosen.connect(self._decide)
        self.policy.returnPressed.connect(self._go_on)
        self.go_on.clicked.connect(self._go_on)
        self.tree.itemClicked.connect(self._go_to)
        self.tree.itemActivated.connect(self._go_to)
        self.tree.itemChanged.connect(self._rename)
        self.tree.itemDelegate().closeEditor.connect(self._ask)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.tree, context=Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove)

    # What is offered.

    def _follow(self, frame: Frame) -> None:
        """Ask for the possible decisions where the run rests; disable deciding while it goes on."""
        if not frame.playing:
            self._ask()
            return
        self._offer = None
        self.place.setText(tr("The run goes on. Pause it to decide otherwise: Space in its window."))
        self.decision.clear()
        self.decision.setPlaceholderText("")
        for widget in (self.decision, self.decide):
            widget.setEnabled(False)

    def _ask(self) -> None:
        self._worker.post(forks.offer)

    def _show(self, offer: ForkOffer) -> None:
        before, self._offer = self._offer, offer
        if offer.fault or before is None or before.event != offer.event:
            self.fault.say(offer.fault)
        following = f"{tr('next')}: {offer.following}" if offer.following else tr("nothing happens any more")
        place = tr("After event {number}, {following}. The jobs stay the same.")
        self.place.setText(place.format(number=grouped(offer.event), following=following))
        if before is None or before.choices != offer.choices:
            self.decision.clear()
            self.decision.addItems([choice.title.format("...") for choice in offer.choices])
        nothing = not offer.choices
        self.decision.setEnabled(not nothing)
        self.decide.setEnabled(not nothing)
        self.decision.setPlaceholderText(tr("Nothing is decided in the next event.") if nothing else "")
        self.policy.setPlaceholderText(
            tr("another policy from here on, such as {policy}").format(
                policy=next(name for name in offer.policies if name != offer.policy)
            )
        )
        self._choose()
        if self._filled != (offer.forks, offer.shown) and self.tree.state() != QTreeWidget.State.EditingState:
            self._fill(offer)  # never during renaming, which would lose the text

    def _choose(self) -> None:
        place = self.decision.currentIndex()
        choice = self._offer.choices[place] if self._offer is not None and place >= 0 else None
        self.number.setVisible(choice is not None and choice.most > 0)
        if choice is not None and choice.most:
            self.number.setRange(1, choice.most)
            self.number.setValue(1 + next(iter(choice.servers), 0))

    def _fill(self, offer: ForkOffer) -> None:
        self._filled = offer.forks, offer.shown
        current = self.tree.currentItem()
        kept = current.data(0, _TEXT) if current is not None else None  # keep the current item for F2 and Del
        self.tree.blockSignals(True)
        self.tree.clear()
        parents: list[QTreeWidgetItem] = []
        for fork in offer.forks:
            item = self._item(fork, fork.text in offer.shown)
            del parents[fork.depth :]
            if parents:
                parents[-1].addChild(item)
            else:
                self.tree.addTopLevelItem(item)
            parents.append(item)
            if fork.text == kept:
                self.tree.setCurrentItem(item)
        self.tree.expandAll()
        self.tree.blockSignals(False)

    @staticmethod
    def _item(fork: Fork, shown: bool) -> QTreeWidgetItem:
        item = QTreeWidgetItem([fork.name, grouped(fork.change.event) if fork.change else ""])
        item.setData(0, _TEXT, fork.text)
        item.setToolTip(0, fork.text)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        font = item.font(0)
        font.setBold(shown)
        item.setFont(0, font)
        return item

    # What is asked for.

    def _decide(self) -> None:
        place = self.decision.currentIndex()
        if self._offer is not None and place >= 0:
            decision = self._offer.choices[place].decision(self.number.value())
            self._post(partial(forks.fork, decision=decision))

    def _go_on(self) -> None:
        self.policy.selectAll()  # so that typing replaces it
        if policy := self.policy.text().strip():
            self._post(partial(forks.fork, policy=policy))

    def _go_to(self, item: QTreeWidgetItem) -> None:
        self._post(partial(forks.go_to_fork, text=str(item.data(0, _TEXT))))

    def _rename(self, item: QTreeWidgetItem) -> None:
        self._post(partial(forks.rename, text=str(item.data(0, _TEXT)), name=item.text(0)))

    def _remove(self) -> None:
        if (item := self.tree.currentItem()) is not None:
            self._post(partial(forks.remove, text=str(item.data(0, _TEXT))))

    def _post(self, command: Callable[[RunWorker], None]) -> None:
        self.fault.say("")
        self._worker.post_instead(partial(forks.answered, command=command))
