"""The reference policies for moldable jobs: each decides how many servers a job gets."""
