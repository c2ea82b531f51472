"""Sentences that keep what they are made of, so that they can be said in another language.

And the languages that the window speaks.
"""

from __future__ import annotations

from typing import Any, Callable, Self, Sequence

#: The language that everything is written in.
ENGLISH = "en"
#: Each by its own name.
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}


class Phrase(str):
    """A sentence in English, made of a pattern with names in braces and what stands in their place.

    A part that is a phrase itself is translated, too; all others stay as they are.
    """

    pattern: str
    parts: dict[str, object]

    def __new__(cls, pattern: str, **parts: object) -> Self:
        made = super().__new__(cls, pattern.format(**parts))
        made.pattern, made.parts = pattern, parts
        return made

    def packed(self) -> list[Any]:
        """It as plain data, which another process makes a phrase of again."""
        parts = {name: part.packed() if isinstance(part, Phrase) else str(part) for name, part in self.parts.items()}
        return [self.pattern, parts]

    @classmethod
    def unpacked(cls, data: Sequence[Any]) -> Self:
        """The phrase that was packed; its parts are phrases, or texts."""
        pattern, parts = data
        return cls(
            pattern, **{name: cls.unpacked(one) if isinstance(one, list) else one for name, one in parts.items()}
        )

    def said(self, translate: Callable[[str], str]) -> str:
        """The sentence in the language that *translate* gives patterns in."""
        parts = {name: part.said(translate) if isinstance(part, Phrase) else part for name, part in self.parts.items()}
        return translate(self.pattern).format(**parts)
