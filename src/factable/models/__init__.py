"""Models and the data files behind metrics: loaded by name, checked, one of each per process.

One module per role (nli, qa, seq2seq, encoder, token_encoder, language_model). Each has `load_…(name)`, which
gives the model, `…_identity(name)`, its checksum without loading it, and a function that predicts for many
inputs through a cache on disk, such as `nli.entailment(name, pairs)`. What they share is in `runtime`.
"""
