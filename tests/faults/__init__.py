"""Faults planted one at a time, each of which the nearest tests must catch."""
