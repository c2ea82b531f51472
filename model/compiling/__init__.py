"""Compiled functions: their compilers, the hash of their meaning, and their cache on disk."""
