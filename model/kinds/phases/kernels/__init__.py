"""The compiled twins of the policies for jobs with phases."""
