"""Stretches of a run that leave the program: as a film, or as a page that plays them."""
