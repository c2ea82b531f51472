"""Experiments for the theorems and comparisons of the paper."""
