"""Forks, for "what if": runs that leave another run at an event, with its past and its jobs."""
