"""The kernels of the policies for jobs with phases: their compiled twins."""
