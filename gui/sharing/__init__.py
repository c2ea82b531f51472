"""What leaves the window: pictures, the line and the link of a moment, films, pages and handouts."""
