"""The panels of systems in which jobs wait."""
