"""Policies of one's own in this kind: guarded, and shown copies."""
