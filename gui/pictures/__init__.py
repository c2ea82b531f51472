"""Pictures of all servers: layout of cells, their pixels, legend, and hit tests.

Each kind of system defines what its cells contain, their look, and their texts.
"""
