"""Readers and writers; all checking of outside data happens here."""
