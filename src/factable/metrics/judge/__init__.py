"""A language model as judge, with results of the ledger's kind."""
