"""The kernels of the policies of the loss system: their compiled twins."""
