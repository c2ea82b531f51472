"""What must stay as it is while the house is rebuilt, for every kind of system at once."""
