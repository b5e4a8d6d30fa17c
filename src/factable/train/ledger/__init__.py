"""Training the ledger's weights on faithful texts and on texts with one fault each."""
