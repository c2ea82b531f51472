"""Policies that say how many servers a moldable job gets."""
