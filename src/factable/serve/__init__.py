"""`factable serve`: a web page to look at texts beside their data, and an HTTP API for other programs."""
