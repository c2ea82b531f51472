"""The language of the window's own words."""
