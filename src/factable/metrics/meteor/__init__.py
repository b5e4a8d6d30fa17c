"""METEOR 1.5, by the authors' Java program."""
