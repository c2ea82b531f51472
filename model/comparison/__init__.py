"""Two or three policies on the same jobs: sessions moved in step, their differences, and paired estimates."""
