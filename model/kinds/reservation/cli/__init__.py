"""The parts of commands that are specific to this kind."""
