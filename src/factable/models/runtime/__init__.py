"""What all models share at run time: sessions, caches, manifests, threads and progress."""
