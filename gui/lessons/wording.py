"""The words of lessons as labels and pages show them: Markdown, with indices and powers set as the papers set them."""

from __future__ import annotations

from typing import Iterator

from PySide6.QtGui import QFont, QTextBlock, QTextDocument

from slotscope.gui.widgets.scripts import set_scripts


def paragraphs(markdown: str) -> list[str]:
    """A step's text as HTML without anything but words, their emphasis, indices and powers."""
    return ["".join(_fragments(block)) for block in _blocks(_read(markdown))]


def spoken(markdown: str) -> str:
    """A step's text without its marks, as it is read out."""
    return _read(markdown).toPlainText()


def _read(markdown: str) -> QTextDocument:
    document = QTextDocument()
    document.setMarkdown(markdown)
    return document


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _fragments(block: QTextBlock) -> Iterator[str]:
    part = block.begin()
    while not part.atEnd():
        look = part.fragment().charFormat()
        words = set_scripts(part.fragment().text())
        words = f"<b>{words}</b>" if look.fontWeight() > QFont.Weight.Normal else words
        yield f"<i>{words}</i>" if look.fontItalic() else words
        part += 1
