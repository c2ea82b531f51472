"""Damaged and hostile input of every family: refused in one line, or a run that is sane.

``python -m tests.fuzz --family sessions --inputs 20000 --seed 7`` tries so many; the seed is
printed and, with an input's number, makes that input again.
"""
