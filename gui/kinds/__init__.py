"""The parts of the window for each kind of system, one package (room) per kind."""
