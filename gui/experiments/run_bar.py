"""The bar above the picture: run, stop, progress, and the folder of the files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.icons import icon
from slotscope.gui.widgets.rows import in_column, in_row

#: Steps of the bar, and its height in pixels.
_STEPS, _HEIGHT = 1000, 14


class RunBar(QWidget):
    """Buttons and a progress bar, and below them a sentence."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._fault = False
        self.run = push_button(tr("&Run"))
        self.stop = push_button(tr("&Stop"))
        self.open = push_button(tr("&Open folder"))
        self.share = QProgressBar()
        self.state = QLabel()
        self.message = QLabel()
        self.copy = push_button(tr("Copy the details"))
        self._details = ""
        self._folder = Path()
        self._build()
        self.open.clicked.connect(self._open_folder)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._details))

    def _build(self) -> None:
        for button, key, sentence in (
            (self.run, " (F5)", tr("Carries out the parts that are missing.")),
            (self.stop, " (Esc)", tr("Stops at once; finished parts are kept.")),
        ):
            name = button.text().replace("&", "")
            button.setToolTip(f"{name}{key}\n{sentence}")
        self.share.setRange(0, _STEPS)
        self.share.setTextVisible(False)
        self.share.setAccessibleName(tr("share that is done"))
        self.share.setMaximumHeight(_HEIGHT)
        policy = self.share.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that the buttons do not move
        self.share.setSizePolicy(policy)
        self.message.setWordWrap(True)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = in_row(None, self.run, self.stop, (self.share, 1), self.state, self.open)
        below = in_row(None, (self.message, 1), self.copy)
        self.copy.hide()
        in_column(self, row, below)

    def show_state(self, text: str, share: float | None) -> None:
        """Show the progress, in words and as a *share*; None hides the progress bar."""
        self.state.setText(text)
        self.state.setWordWrap(share is None)  # without the bar it is a sentence, which must not widen the row
        self.share.setVisible(share is not None)
        self.share.setValue(round(_STEPS * (share or 0.0)))

    def say(self, text: str, fault: bool = False, details: str = "") -> None:
        """Show a sentence, in the colour of errors if *fault*; an empty one takes no room.

        The *details* of an error, for a bug report, can be copied.
        """
        self._fault, self._details = fault, details
        self.copy.setVisible(bool(details))
        color = self._theme.ink(self._theme.rejection) if fault else self._theme.normal
        self.message.setStyleSheet(f"color: {color}")
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def set_folder(self, folder: Path) -> None:
        """Set the folder in which the files are, or will be."""
        self._folder = folder.absolute()
        self.open.setEnabled(self._folder.is_dir())
        self.open.setToolTip(f"{tr('Open folder')}\n{self._folder}")

    def _open_folder(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder))):
            self.say(tr("No program here shows folders; the files are in {folder}").format(folder=self._folder))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.say(self.message.text(), self._fault, self._details)
        self.run.setIcon(icon("run", theme))
        self.stop.setIcon(icon("cancel", theme))
