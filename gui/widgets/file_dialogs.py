"""File dialogs without an event loop of their own, so that the run and its pictures go on behind them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable

from PySide6.QtWidgets import QFileDialog, QWidget

_ENDING = re.compile(r"\*\.(\w+)")


def ask_file(parent: QWidget, title: str, take: Callable[[Path], object], kinds: str, folder: str = "") -> None:
    """Ask for an existing file, one of *kinds* (a Qt filter string)."""
    dialog = QFileDialog(parent, title, folder, kinds, fileMode=QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda path: take(Path(path)))
    _show(dialog)


def ask_files(parent: QWidget, title: str, take: Callable[[list[str]], object], folder: str = "") -> None:
    """Ask for one or more existing files."""
    dialog = QFileDialog(parent, title, folder, fileMode=QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(take)
    _show(dialog)


def ask_folder(parent: QWidget, title: str, take: Callable[[str], object], folder: str = "") -> None:
    """Ask for an existing folder."""
    dialog = QFileDialog(parent, title, folder, fileMode=QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.connect(take)
    _show(dialog)


def ask_new_file(
    parent: QWidget, title: str, take: Callable[[Path], object], kinds: str, name: str, adds: bool = False
) -> None:
    """Ask for a file to write; the chosen filter sets the name's extension.

    *name* is the proposed file name, with or without a folder; with *adds*, an existing file is added to, so replacing
    it is not asked about.
    """
    proposed = Path(name)
    dialog = QFileDialog(parent, title, str(proposed.parent) if proposed.is_absolute() else "", kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, adds)
    dialog.setDefaultSuffix(proposed.suffix)
    dialog.selectFile(proposed.name)

    def give_ending(kind: str) -> None:
        if ending := _ENDING.search(kind):
            dialog.setDefaultSuffix(ending[1])
            for path in dialog.selectedFiles():
                dialog.selectFile(Path(path).with_suffix(f".{ending[1]}").name)

    dialog.filterSelected.connect(give_ending)
    dialog.fileSelected.connect(lambda path: take(Path(path)))
    _show(dialog)


def _show(dialog: QFileDialog) -> None:
    dialog.setObjectName("files")
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
