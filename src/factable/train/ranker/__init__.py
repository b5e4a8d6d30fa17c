"""Training of rankers: texts beside the facts they tell, and beside texts about like tables."""
