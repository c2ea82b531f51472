"""Panels of moldable jobs."""
