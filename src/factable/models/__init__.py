"""Files that metrics stand on: loaded by name, checked, kept once per process."""
