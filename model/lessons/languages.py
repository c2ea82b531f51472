"""Languages that the window speaks."""

from __future__ import annotations

#: The language that everything is written in.
ENGLISH = "en"
#: Each by its own name.
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}
