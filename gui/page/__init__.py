"""HTML pages that play a stretch of a run in any browser, from vector graphics; shared parts are stored once."""
