"""Compiled functions: what they mean, and where they are kept."""
