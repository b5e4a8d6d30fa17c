"""Language models behind a server: what is asked, how it is sent, what it costs."""
