"""Exports: pictures, the command line and the link of a moment, films, HTML pages and handouts."""
