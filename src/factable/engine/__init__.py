"""Who computes what, and where."""
