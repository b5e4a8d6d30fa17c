"""Training models that write and answer questions about data, from questions about texts."""
