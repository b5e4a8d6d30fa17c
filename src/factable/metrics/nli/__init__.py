"""The NLI check (Dušek and Kasner 2020)."""
