"""Runs that leave another one at an event, with its past and its jobs: what if."""
