"""factable inside other tools: one small module for each."""
