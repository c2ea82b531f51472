"""The kernels of the policies for moldable jobs: their compiled twins."""
