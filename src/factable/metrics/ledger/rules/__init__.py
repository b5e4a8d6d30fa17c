"""Rules for statements of a text that the data decides: what each supports, and what it contradicts."""
