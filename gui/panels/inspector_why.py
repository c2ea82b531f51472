"""Why a decision was made, in the inspector: one sentence, the change that flips it, the table of conditions."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from slotscope.gui.theme import Theme
from slotscope.gui.widgets.scripts import set_scripts
from slotscope.model.reporting.explain import counted, grouped
from slotscope.model.whys.asking import Why
from slotscope.model.whys.tables import Candidates


class WhyView(QScrollArea):
    """Shows an answer; hidden where there is none.  ``closed``: it is not wanted any more."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._answer: Why | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName("why")
        self.text = QLabel()
        self.text.setContentsMargins(10, 4, 10, 4)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.text.linkActivated.connect(lambda _: self.closed.emit())
        self.setWidget(self.text)
        self.hide()

    def restyle(self, theme: Theme) -> None:
        """Follow another theme."""
        self._theme = theme
        answer, self._answer = self._answer, None
        self.show_answer(answer)

    def show_answer(self, answer: Why | None) -> None:
        """Show what was found; nothing: hide."""
        self.setVisible(answer is not None)
        if answer is self._answer:
            return
        self._answer = answer
        self.text.setText("" if answer is None else self._page(answer))
        self.verticalScrollBar().setValue(0)

    def _page(self, answer: Why) -> str:
        ink = self._theme.ink(self._theme.focus)
        head = f"<b>{html.escape(answer.question)}</b> (event {grouped(answer.event)}) "
        close = f"<a href='close' style='color: {ink}'>close</a>"
        tables = "".join(self._table(each) for each in answer.tables)
        return f"<p>{head}{close}</p><p>{html.escape(answer.sentence)}</p>{self._flip(answer)}{tables}"

    def _table(self, candidates: Candidates) -> str:
        """Each condition with its counts; below it the numbers, and the paper's line."""
        heads = (
            f"<th align='left' width='75%'>{html.escape(counted(candidates.count, candidates.what))}: condition</th>"
        )
        heads += "".join(f"<th align='right'>&nbsp;{name}</th>" for name in ("removed", "left"))
        rows = ""
        for line in candidates.lines():
            counts = "".join(f"<td align='right'>{grouped(count)}</td>" for count in (line.removed, line.left))
            below = html.escape(line.numbers) + (f"; {set_scripts(line.place)}" if line.place else "")
            rows += f"<tr><td>{html.escape(line.condition)}</td>{counts}</tr>"
            rows += f"<tr><td colspan='3' style='color: {self._theme.muted}; padding-left: 14px'>{below}</td></tr>"
        return f"<table width='100%' cellspacing='2'><tr>{heads}</tr>{rows}</table>"

    @staticmethod
    def _flip(answer: Why) -> str:
        flip = answer.flip
        if flip is None:
            return ""
        if not flip.words:
            return f"<p>No small change flips it: {flip.tried} were replayed.</p>"
        words, proof = html.escape(flip.words), html.escape(flip.proof)
        return f"<p>The smallest change that flips it: <b>{words}</b> ({proof}).</p>"
