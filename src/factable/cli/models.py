"""`factable models`: the models that ship with factable, or one in a folder."""

from pathlib import Path

import click

from factable.errors import printable
from factable.models.runtime.manifest import (
    CARD,
    EMBEDDED,
    Manifest,
    embedded_folder,
    read_manifest,
    verify_files,
)


@click.command()
@click.argument("name", required=False)
@click.option("--verify", is_flag=True, help="Check every file against its checksum.")
def models(name: str | None, verify: bool) -> None:
    """List the models that ship with factable, or show the card of one: NAME, or a model folder."""
    for model in [name] if name else EMBEDDED:
        manifest = read_manifest(embedded_folder(model) if model in EMBEDDED else Path(model))
        if verify:
            verify_files(manifest)
        click.echo(_line(model, manifest) + ("  verified" if verify else ""))
    if verify:
        return
    if name:
        click.echo("\n" + _card(manifest))


def _line(name: str, manifest: Manifest) -> str:
    paths = [manifest.folder / file for file in manifest.files]
    size = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
    return f"{name}  {manifest.kind}  {size:.0f} MB  {manifest.identity[:12]}  {printable(manifest.about)}"


def _card(manifest: Manifest) -> str:
    card = manifest.folder / CARD
    if not card.is_file():
        return "no model card"
    lines = card.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(map(printable, lines)).rstrip()
