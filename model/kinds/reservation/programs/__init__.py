"""The programs and closed forms of this kind."""
