"""Two or three policies on the same jobs: sessions in step, what differs, paired differences."""
