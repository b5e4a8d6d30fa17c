"""One pass/fail decision about many texts: allowed rates, baselines, configuration; and reranking."""
