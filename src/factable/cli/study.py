"""`factable study`: how far metrics can be trusted, measured against people."""

import click

from factable.cli.main import LazyGroup

DEFAULT_STUDY = "ratings"


class StudyGroup(LazyGroup):
    """The studies; `factable study FILE` is `factable study ratings FILE`."""

    modules = {  # noqa: RUF012
        "ratings": ("study_commands:ratings", "Correlate metrics with human ratings (the default)."),
        "preferences": ("study_commands:preferences", "Compare metrics with people who chose between texts."),
        "verdicts": (
            "study_commands:verdicts",
            "Compare metrics with people who labelled texts right or wrong.",
        ),
        "judges": (
            "study_commands:judges",
            "Compare the ledger, a language model as judge, and both.",
        ),
        "spans": ("study_commands:spans", "Compare metrics with people who marked errors in texts."),
        "divergence": (
            "study_commands:divergence",
            "Measure how references that differ from the data hurt metrics.",
        ),
        "gold": ("study_commands:gold", "Score human-written references and their paraphrases."),
        "agreement": ("study_commands:agreement", "Measure how far annotators agree with each other."),
    }
    aliases = {"fix": "gold"}  # noqa: RUF012

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take arguments that name no study for those of the default one."""
        known = (*self.modules, *self.aliases, "--fix", *ctx.help_option_names)
        if not args or args[0] not in known:
            args = [DEFAULT_STUDY, *args]
        return super().parse_args(ctx, ["gold", *args[1:]] if args[0] == "--fix" else args)


@click.group(cls=StudyGroup)
def study() -> None:
    """Measure how far metrics can be trusted, against human judgements.

    `factable study FILE` is `factable study ratings FILE`; see `factable study ratings --help`.
    """
