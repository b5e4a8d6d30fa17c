"""What commands that ask the ledger share: its options and configuration."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factable.cli.output import explain_run
from factable.core.signature import spec
from factable.errors import UsageError

if TYPE_CHECKING:
    from factable.gate.config import Config
    from factable.metrics.ledger.verdict_metric import VerdictMetric

CONFIG_NAME = "factable.toml"
FACTS = {
    "required": "Only these facts must be stated, such as food,area=riverside. Default: all.",
    "optional": "Facts that may be left out, such as near,eatType=restaurant.",
    "ignore": "Facts to leave out of the check, stated or not.",
}


def config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--config` and `--no-config`."""
    config = click.option(
        "--config",
        default="",
        metavar="FILE",
        help="TOML file with settings of the ledger. Default: factable.toml in this folder or above.",
    )
    without = click.option("--no-config", is_flag=True, help="Do not look for factable.toml.")
    return config(without(command))


def ledger_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--judge`, `--in-doubt`, `--required`, `--optional`, `--ignore`, `--config` and `--no-config`."""
    command = config_options(command)
    command = click.option(
        "--in-doubt", is_flag=True, help="Ask the judge only where the ledger is in doubt."
    )(command)
    command = click.option(
        "--judge",
        default="",
        metavar="URL",
        help="Let a language model judge: its server (URL, URL#MODEL), or a spec of the metric judge.",
    )(command)
    for name, about in reversed(FACTS.items()):
        command = click.option(f"--{name}", default="", metavar="NAMES", help=about)(command)
    return command


def load_config(config: str, no_config: bool, facts: Mapping[str, str]) -> "Config":
    """The configuration, with what the command line says in place of what the file says."""
    from factable.gate.config import Config, read_config

    path = find_config(config, no_config)
    known = read_config(path) if path else Config()
    given = {name: names for name, names in facts.items() if names}
    return Config({**known.options, **given}, known.judge, known.policy)


def chosen_metric(known: "Config", judge: str, in_doubt: bool) -> "VerdictMetric":
    """The ledger, the judge, or both, as the command line has it."""
    from factable.metrics.ledger.metric import Ledger
    from factable.metrics.ledger.second_opinion import load_judge, with_rules_of

    ledger = Ledger(**known.options)
    if not judge:
        if in_doubt and not ledger.judge:
            raise UsageError("--in-doubt needs a judge; give --judge URL")
        return ledger
    made = load_judge(judge, {"judge": known.judge})
    return replace(ledger, judge=spec(made)) if in_doubt else with_rules_of(made, ledger)


def ledger_defaults(config: str, no_config: bool) -> dict[str, Mapping[str, Any]]:
    """The parameters that the configuration gives to the ledger and the judge, where a spec does not."""
    path = find_config(config, no_config)
    if not path:
        return {}
    from factable.gate.config import read_config

    known = read_config(path)
    return {"ledger": known.options, "judge": known.judge}


def find_config(config: str, no_config: bool) -> str:
    """The file named, else factable.toml in the working folder or the nearest above; empty for none."""
    if config and no_config:
        raise UsageError("--config and --no-config exclude each other; drop one of them")
    here = Path().resolve()
    for folder in () if config or no_config else (here, *here.parents):
        if (folder / CONFIG_NAME).is_file():
            config = os.path.relpath(folder / CONFIG_NAME)
            break
    if config:
        explain_run(f"configuration: {config}")
    return config
