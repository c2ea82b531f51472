"""The references of this kind."""
