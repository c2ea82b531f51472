"""Figures and tables of the paper, made again."""
