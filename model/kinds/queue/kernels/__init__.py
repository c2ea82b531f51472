"""The compiled twins of the policies of queueing systems."""
