"""What can be asked of a run of this kind."""
