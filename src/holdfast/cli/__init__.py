"""The command line: parse, call public names, print a table or JSON.

Nothing heavy is imported before a command runs, so that `holdfast --help` answers at once.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..console.options import Exit
from ..console.output import complain
from ..dynamics import command_separate as separate
from ..errors import HoldfastError, SolverError
from ..force_limits import command_decompose as decompose
from ..force_limits import command_models as models
from ..grasps import command_grasp_inputs as grasp_inputs
from ..grasps import command_grasp_study as grasp_study
from ..grasps import command_grasps as grasps
from ..grips import command as grip
from ..papers import command as paper
from ..papers import command_demo as demo
from ..planar import command_climb as climb
from ..planar import command_motions as motions
from ..planar import command_torques as torques
from ..postures import command as posture
from ..reliability import command_probability as probability
from ..reliability import command_sensitivity as sensitivity
from ..reports import command_report as report
from ..robots import command_robot as robot
from ..scenes import command_scene as scene
from ..statics import command_check as check
from ..statics import command_limit as limit
from ..statics import command_onset as onset
from ..statics import command_sweep as sweep
from ..viewer import command_view as view
from ..wrench_spaces import command_compare as compare
from ..wrench_spaces import command_space as space

EXIT_CODES = (
    """Exit codes: 0 holds, 1 does not hold, 2 bad input, 3 undecided, 130 interrupted, 70 a fault of Holdfast."""
)


class _Group(TyperGroup):
    """Turns errors of Holdfast into a message and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HoldfastError as error:
            complain(str(error), notes=getattr(error, "__notes__", ()), traceback=bool(ctx.params.get("debug")))
            raise typer.Exit(Exit.UNDECIDED if isinstance(error, SolverError) else Exit.BAD_INPUT) from None
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(Exit.INTERRUPTED) from None


app = typer.Typer(
    cls=_Group,
    name="holdfast",
    help="Can it hold? How much? Holdfast answers for anything that touches something else.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # brackets in the help are units, not markup
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"holdfast {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")] = False,
) -> None:
    """What stands before the command."""


app.command("demo", epilog=EXIT_CODES, short_help="Measured forces to a gripper's verdict.")(demo.demo)
app.command("check", epilog=EXIT_CODES, short_help="Does a scene hold, with which forces?")(check.check)
app.command("limit", epilog=EXIT_CODES, short_help="How much of a load does a scene bear?")(limit.limit)
app.command("sweep", epilog=EXIT_CODES, short_help="Gravity from every side of a circle.")(sweep.sweep)
app.command("onset", short_help="Where a scene lets go as it turns or a load grows.")(onset.onset)
app.command("space", epilog=EXIT_CODES, short_help="How much it holds, all around.")(space.space)
app.command("compare", epilog=EXIT_CODES, short_help="Designs side by side.")(compare.compare)
app.command("separate", epilog=EXIT_CODES, short_help="If it does not hold: which way it goes.")(separate.separate)
app.command("probability", short_help="How surely a scene holds.")(probability.probability)
app.command("sensitivity", epilog=EXIT_CODES, short_help="What a limit depends on.")(sensitivity.sensitivity)
app.command("report", epilog=EXIT_CODES, short_help="All about a scene as one page for a colleague.")(report.report)
app.command("posture", epilog=EXIT_CODES, short_help="Does a body on its hands hold?")(posture.posture)
app.command("support", epilog=EXIT_CODES, short_help="Where a body may lean.")(posture.support)
app.command("robot", epilog=EXIT_CODES, short_help="A robot from its URDF: does it hold, what gives out first?")(
    robot.robot
)
app.command("models", short_help="The ready contact models.")(models.models)
app.command("decompose", short_help="Measured forces to few convex pieces.")(decompose.decompose)
app.command("motions", epilog=motions.EXIT_CODES, short_help="Planar contact: every motion it allows.")(motions.motions)
app.command("torques", epilog=torques.EXIT_CODES, short_help="Planar chains: torques that allow one motion only.")(
    torques.torques
)
app.command("climb", epilog=climb.EXIT_CODES, short_help="A snake climbs between walls by bracing.")(climb.climb)
app.command("grasps", epilog=grasp_inputs.EXIT_CODES, short_help="Planar grasps from a picture, ranked with reasons.")(
    grasps.grasps
)
app.command("view", epilog=EXIT_CODES, short_help="See it in the browser, verdicts following the sliders.")(view.view)
app.add_typer(grasp_study.app, name="grasp-study")
app.add_typer(grip.app, name="grip")
app.add_typer(scene.app, name="scene")
app.add_typer(paper.app, name="paper")


def main() -> None:
    """Entry point of the program `holdfast`."""
    try:
        app()
    except Exception as error:  # noqa: BLE001 - a crash must not look like "does not hold", which is exit code 1
        wanted = "--debug" in sys.argv
        advice = "" if wanted else "; run it again with --debug before the command and report what it shows"
        complain(f"a fault of Holdfast itself: {type(error).__name__}: {error}{advice}", traceback=wanted)
        sys.exit(Exit.FAULT)
