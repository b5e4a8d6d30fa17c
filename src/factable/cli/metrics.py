"""`factable metrics`: what can be measured, and with which parameters."""

from dataclasses import fields

import click

from factable.core.registry import load, names
from factable.errors import UsageError


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or describe the one called NAME."""
    if name is not None:
        click.echo(describe(name))
        return
    width = max(map(len, names()))
    for known in names():
        click.echo(f"{known:<{width}}  {about(known)}")
    click.echo("\nfactable metrics NAME shows the parameters of one.")


def about(name: str) -> str:
    """The first sentence about a metric, or why a plug-in cannot be loaded."""
    try:
        return (load(name).__doc__ or "").strip().partition("\n")[0]
    except UsageError as error:
        return str(error)


def describe(name: str) -> str:
    """All that a user needs to know to ask for a metric."""
    metric = load(name)
    defaults = metric()
    needs = ", ".join(sorted(defaults.needs)) or "nothing but text and data"
    low, high = defaults.bounds
    better = "higher" if metric.higher_is_better else "lower"
    parameters = "\n".join(
        f"  {field.name}={getattr(defaults, field.name)!r}"
        for field in fields(metric)  # type: ignore[arg-type]
    )
    return (
        f"{name} (version {metric.version})\n\n{_dedent(metric.__doc__)}\n\n"
        f"needs: {needs}\nvalues: {low:g} to {high:g}, {better} is better\n"
        f"parts: {', '.join(defaults.parts) or 'none'}\ndefaults:\n{parameters}"
    )


def _dedent(doc: str | None) -> str:
    from inspect import cleandoc

    return cleandoc(doc or "")
