"""The panels of systems whose jobs have phases."""
