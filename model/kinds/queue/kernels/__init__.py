"""The kernels of the policies of queueing systems: their compiled twins."""
