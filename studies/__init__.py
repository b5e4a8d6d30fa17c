"""Studies on published human judgements; each is one command that rewrites its page in docs/studies."""
