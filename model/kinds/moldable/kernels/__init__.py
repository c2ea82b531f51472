"""The compiled twin of the policies for moldable jobs."""
