"""Indices and powers, set as the papers set them; also in the words of lessons, which are Markdown."""

from __future__ import annotations

import html
import re
from typing import Iterator

from PySide6.QtGui import QFont, QTextBlock, QTextDocument

from slotscope.model.reporting.explain import THIN_SPACE

#: Accents that stand above a letter: K̃, k̂.
_ACCENTS = "\u0302\u0303"

#: ``U^(g)``, ``log^1.1`` and ``x^{2/3}``; and below, ``K_RED``, ``y*_i`` and ``x_{ij}``: one letter has the index.
#: A file ``q_lazy.py`` has none.
_RAISED = re.compile(rf"(?<=[\w)\]⌉{_ACCENTS}])\^(?:\{{([^{{}}]+)\}}|(\([^()]*\)|\w+(?:\.\d+)?))")
_LOWERED = re.compile(rf"(\b(?:\w|VQ|AG|sup)[{_ACCENTS}]?\*?)_(?:\{{([^{{}}]+)\}}|(\w+)(?!\w*\.py\b))")

#: ``(8, 0, 0)``: up to so many numbers, as configurations have, stay on one line.
_VECTOR = re.compile(r"\((?:[-−]?\d+, ){1,5}[-−]?\d+\)")


def unbroken(text: str) -> str:
    """*text* whose numbers, and vectors of few, stay whole in labels that wrap.

    Qt breaks lines at thin spaces, of either kind.
    """
    return _VECTOR.sub(lambda found: found[0].replace(" ", "\u00a0"), text.replace(THIN_SPACE, "\u00a0"))


def set_scripts(text: str) -> str:
    """Plain text as HTML, with indices and powers; numbers stay whole."""
    raised = _RAISED.sub(lambda found: f"<sup>{found[1] or found[2]}</sup>", html.escape(unbroken(text)))
    return _LOWERED.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", raised)


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
