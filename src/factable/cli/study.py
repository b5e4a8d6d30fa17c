"""`factable study`: how far metrics can be trusted, measured against people; one module per kind of study."""

import click

from factable.cli.main import LazyGroup

DEFAULT_KIND = "ratings"


class StudyGroup(LazyGroup):
    """The kinds of studies; `factable study FILE` is `factable study ratings FILE`."""

    modules = {  # noqa: RUF012
        "ratings": ("study_ratings", "Correlate metrics with human ratings (the default)."),
        "preferences": ("study_preferences", "People prefer one of two texts: do metrics too?"),
        "verdicts": ("study_verdicts", "Metrics that say whether a text is right, against labels."),
        "divergence": ("study_divergence", "What references that differ from the data do to metrics."),
        "fix": ("study_fix", "What metrics give to texts that people wrote, and to paraphrases."),
        "agreement": ("study_agreement", "How far annotators agree with each other."),
    }

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what names no kind of study for arguments of the default one."""
        if args and args[0] == "--fix":
            args = ["fix", *args[1:]]
        if not args or (args[0] not in self.modules and args[0] not in ctx.help_option_names):
            args = [DEFAULT_KIND, *args]
        return super().parse_args(ctx, args)


@click.group(cls=StudyGroup)
def study() -> None:
    """Say how far metrics can be trusted, measured against people.

    `factable study FILE` is `factable study ratings FILE`; see `factable study ratings --help`.
    """
