"""`factable models`: the models that ship with factable, or in a folder."""

from pathlib import Path

import click

from factable.models.embedded import EMBEDDED, embedded_folder
from factable.models.manifest import CARD, check_files, read_manifest


@click.command()
@click.argument("name", required=False)
@click.option("--verify", is_flag=True, help="Compare every file with its checksum.")
def models(name: str | None, verify: bool) -> None:
    """List the embedded models, or describe the one with that NAME (or in that folder) with its card."""
    if name is None or verify:
        for one in [name] if name else EMBEDDED:
            click.echo(_line(one, verify))
        return
    click.echo(_line(name, verify))
    card = _folder(name) / CARD
    if card.is_file():
        click.echo("\n" + card.read_text(encoding="utf-8").rstrip())


def _folder(name: str) -> Path:
    return embedded_folder(name) if name in EMBEDDED else Path(name)


def _line(name: str, verify: bool) -> str:
    manifest = read_manifest(_folder(name))
    size = sum((manifest.folder / file).stat().st_size for file in manifest.files) / 1e6
    if verify:
        check_files(manifest)
    checked = "  all files are as they should be" if verify else ""
    return f"{name}  {manifest.kind}  {size:.0f} MB  {manifest.identity[:12]}  {manifest.about}{checked}"
