"""PARENT (Dhingra et al. 2019)."""
