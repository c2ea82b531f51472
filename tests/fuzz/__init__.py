"""Damaged and hostile input of every family: it must be refused in one line, or give a sound run.

``python -m tests.fuzz --family sessions --inputs 20000 --seed 7`` tries 20000 inputs; the seed is
printed; the seed and an input's number reproduce the input.
"""
