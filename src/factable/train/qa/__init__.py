"""Training a model that finds answers to questions in texts and in data."""
