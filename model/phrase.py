"""Sentences that keep their pattern and its parts, so that they can be translated.

Also the languages of the window.
"""

from __future__ import annotations

from typing import Any, Callable, Self, Sequence

#: The language of all texts in the source.
ENGLISH = "en"
#: All languages by code, each named in itself.
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}


class Phrase(str):
    """An English sentence, made from a pattern with names in braces and the parts that replace these.

    Parts that are phrases are translated, too; all other parts stay as they are.
    """

    pattern: str
    parts: dict[str, object]

    def __new__(cls, pattern: str, **parts: object) -> Self:
        made = super().__new__(cls, pattern.format(**parts))
        made.pattern, made.parts = pattern, parts
        return made

    def packed(self) -> list[Any]:
        """The phrase as plain data, which can be sent to another process."""
        parts = {name: part.packed() if isinstance(part, Phrase) else str(part) for name, part in self.parts.items()}
        return [self.pattern, parts]

    @classmethod
    def unpacked(cls, data: Sequence[Any]) -> Self:
        """The phrase made from such data; its parts are phrases or texts."""
        pattern, parts = data
        return cls(
            pattern, **{name: cls.unpacked(one) if isinstance(one, list) else one for name, one in parts.items()}
        )

    def said(self, translate: Callable[[str], str]) -> str:
        """The sentence in another language, for which *translate* gives the patterns."""
        parts = {name: part.said(translate) if isinstance(part, Phrase) else part for name, part in self.parts.items()}
        return translate(self.pattern).format(**parts)
