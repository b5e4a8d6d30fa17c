"""What a metric is, its parameters, results, spec text, signature and registry."""
