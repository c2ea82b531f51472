"""Parts of commands that are special to this kind of system."""
