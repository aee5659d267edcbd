"""`holdfast paper`: the paper's tables, figures and experiments from this project's own models."""

from __future__ import annotations

import typer

from . import command_climb as climb
from . import command_figures as figures
from . import command_hierarchy as hierarchy
from . import command_slip as slip
from . import command_table1 as table1

app = typer.Typer(
    help="The paper's tables, figures and experiments, from this project's models and devices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("table1", short_help="Table I: times of our method and of rivals.")(table1.table1)
app.command("figures", short_help="Figs. 3, 4, 5 and 7 to 11 as pictures.")(figures.figures)
app.command("slip", short_help="The synthetic slip study, with its failure replicas.")(slip.slip)
app.command("hierarchy", short_help="Figs. 15 and 16: grips, growth of times, support regions.")(hierarchy.hierarchy)
app.command("climb", short_help="The climbing study: where a quadruped's body may lean (Figs. 14, 16-18).")(climb.climb)
