"""Experiments that reproduce figures and tables of the paper."""
