"""Policies of users: loading a file, checking its shape, and calling it without trusting it."""
