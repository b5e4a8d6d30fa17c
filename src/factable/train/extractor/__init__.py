"""Training of the pointer-generator network that extracts records from texts."""
