"""The compiled twins of this kind."""
