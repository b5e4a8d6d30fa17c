"""What all models share: folders and manifests, sessions, the cache of predictions, threads and progress."""
