"""Pictures of all servers: where cells stand, their pixels, their legend, and what is pointed at.

A kind of system says what is in its cells, how that looks, and what is said of it.
"""
