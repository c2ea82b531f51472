"""The references of queueing systems: each policy as its paper writes it, one module for each."""
