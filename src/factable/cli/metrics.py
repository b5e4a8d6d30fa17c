"""`factable metrics`: what can be measured, and with which parameters."""

import click

from factable.core.metric import Metric
from factable.core.params import Param
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
        return summary(load(name))
    except UsageError as error:
        return str(error)


def summary(kind: type[Metric]) -> str:
    """The first line of a metric's documentation."""
    return (kind.__doc__ or "").strip().partition("\n")[0]


def describe(name: str) -> str:
    """All that a user needs to know to ask for a metric."""
    kind = load(name)
    defaults = kind()
    needs = ", ".join(sorted(defaults.needs)) or "nothing but the text"
    low, high = defaults.bounds
    better = "higher" if kind.higher_is_better else "lower"
    parameters = "".join(f"\n  {line}" for each in kind.params for line in _lines(each))
    return (
        f"{name} (version {kind.version})\n\n{summary(kind)}\n\n"
        f"needs:      {needs}\nvalues:     {low:g} to {high:g}, {better} is better\n"
        f"parts:      {', '.join(defaults.parts) or 'none'}\nparameters:{parameters or ' none'}"
    )


def _lines(each: Param) -> list[str]:
    """A parameter with its default, what it may be and what it does."""
    import textwrap

    head = f"{each.name}={shown_default(each)}  ({each.allowed})"
    return [head, *textwrap.wrap(each.doc, 96, initial_indent="    ", subsequent_indent="    ")]


def shown_default(each: Param) -> str:
    """The default of a parameter as a spec writes it."""
    return f'"{each.default}"' if isinstance(each.default, str) else repr(each.default)
