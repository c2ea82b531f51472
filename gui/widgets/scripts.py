"""Subscripts and superscripts as in the papers, in plain text and in the Markdown of lessons."""

from __future__ import annotations

import html
import re
from typing import Iterator

from PySide6.QtGui import QFont, QTextBlock, QTextDocument

from slotscope.model.reporting.explain import THIN_SPACE

#: Combining accents above a letter: K̃, k̂.
_ACCENTS = "\u0302\u0303"

#: Superscript: ``U^(g)``, ``log^1.1``, ``x^{2/3}``; subscript, after one letter: ``K_RED``, ``y*_i``, ``x_{ij}``.
#: A file name such as ``q_lazy.py`` has none.
_RAISED = re.compile(rf"(?<=[\w)\]⌉{_ACCENTS}])\^(?:\{{([^{{}}]+)\}}|(\([^()]*\)|\w+(?:\.\d+)?))")
_LOWERED = re.compile(rf"(\b(?:\w|VQ|AG|sup)[{_ACCENTS}]?\*?)_(?:\{{([^{{}}]+)\}}|(\w+)(?!\w*\.py\b))")

#: ``(8, 0, 0)``: a vector of two to six numbers, such as a configuration, which must stay on one line.
_VECTOR = re.compile(r"\((?:[-−]?\d+, ){1,5}[-−]?\d+\)")


def unbroken(text: str) -> str:
    """Protect numbers and short vectors in *text* from line breaks: Qt breaks lines even at thin spaces."""
    return _VECTOR.sub(lambda found: found[0].replace(" ", "\u00a0"), text.replace(THIN_SPACE, "\u00a0"))


def set_scripts(text: str) -> str:
    """Plain text as HTML with subscripts and superscripts; numbers do not break."""
    raised = _RAISED.sub(lambda found: f"<sup>{found[1] or found[2]}</sup>", html.escape(unbroken(text)))
    return _LOWERED.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", raised)


def paragraphs(markdown: str) -> list[str]:
    """The text of a lesson's step as HTML of words, emphasis, subscripts and superscripts only, by paragraph."""
    return ["".join(_fragments(block)) for block in _blocks(_read(markdown))]


def spoken(markdown: str) -> str:
    """The text of a lesson's step without markup, for screen readers."""
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
