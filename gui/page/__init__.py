"""A page that plays a stretch of a run in any browser: pictures as vectors, each part of them written once."""
