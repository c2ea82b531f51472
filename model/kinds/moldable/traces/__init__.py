"""Recorded workloads for this kind."""
