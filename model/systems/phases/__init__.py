"""Unlimited servers of jobs with phases: their state and their physics."""
