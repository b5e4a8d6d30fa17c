"""The recipe of the embedded NLI model: pairs from corpora, training, export."""
