"""What holds the place of a panel that nobody has seen yet."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QWidget

from slotscope.gui.panel import LEAST, Panel


class PanelPlace(QWidget):
    """Holds the place of a panel that is not built yet: as small as that can be, and reached by keys like it."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setMinimumSize(*LEAST)
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def give_to(self, panel: Panel, dock: QDockWidget) -> None:
        """Let a panel stand here, also in the order in which keys go from one thing to the next."""
        focused = self.hasFocus()
        self.clearFocus()
        dock.setWidget(panel)
        _put_behind(self, panel)
        if focused:
            panel.setFocus(Qt.FocusReason.TabFocusReason)
        layout = dock.layout()
        assert layout is not None
        layout.activate()  # it has its size before it shows anything
        self.deleteLater()


def _put_behind(before: QWidget, panel: Panel) -> None:
    """Have keys go from *before* to a panel and all that is in it, to which they went last.

    Qt moves what is inside along with a widget that hands its keys on to that, as far as keys go.
    """
    first, last = panel.nextInFocusChain(), panel.window().previousInFocusChain()
    assert first is not None and last is not None
    policy = last.focusPolicy()
    last.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    panel.setFocusProxy(first)
    QWidget.setTabOrder(before, panel)
    panel.setFocusProxy(None)  # type: ignore[arg-type]  # which takes the proxy away
    last.setFocusPolicy(policy)
