"""`factable cache`: the cached answers of models."""

import click

from factable.models.runtime.cache import (
    CACHE_VARIABLE,
    CACHED_KINDS,
    MAX_CACHE_BYTES,
    MAX_CACHE_DAYS,
    cache_file,
    cache_files,
    cache_folder,
)


@click.group()
def cache() -> None:
    """Show or delete the cached answers of models."""


@cache.command()
def path() -> None:
    """Print the folder of the cache."""
    folder = cache_folder()
    click.echo(folder or f"answers are not cached ({CACHE_VARIABLE} is off)")


@cache.command()
def info() -> None:
    """List what is cached, and how much of it."""
    for kind, answers in CACHED_KINDS.items():
        file = cache_file(kind)
        if file is None:
            click.echo(f"answers are not cached ({CACHE_VARIABLE} is off)")
            return
        size = file.stat().st_size if file.is_file() else 0
        click.echo(f"{size / 1e6:8.1f} MB  {answers} in {file}")
    limit = f"{MAX_CACHE_BYTES >> 30} GB for each file and {MAX_CACHE_DAYS} days"
    click.echo(f"the oldest answers are deleted beyond {limit}")


@cache.command()
def clear() -> None:
    """Delete all cached answers."""
    folder = cache_folder()
    files = cache_files(folder) if folder else []
    size = sum(file.stat().st_size for file in files)
    for file in files:
        file.unlink()
    click.echo(f"deleted {len(files)} files, {size / 1e6:.1f} MB")
