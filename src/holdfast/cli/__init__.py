"""The command line: a table of the features' commands.

Nothing is imported before a command runs, so that `holdfast --help` is fast.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ..console.options import Exit
from ..console.output import compiling_notice, complain, log_to_stderr, visible_output

EXIT_CODES = """Exit codes: 0 holds, 1 does not hold, 2 bad input, 3 undecided, 130 interrupted, 70 internal error."""

#: What ends the help of a command that documents its exit codes itself.
_NONE = ""

#: Packages that are installed with an extra of Holdfast.
EXTRAS = {"matplotlib": "plot", "viser": "view"}

#: Name of each command, in the order of the help: where its function or its group of commands is ("module:name"),
#: what it does, and where the text on its exit codes is (the usual one when left out).
COMMANDS: dict[str, tuple[str, ...]] = {
    "demo": ("holdfast.cli.demo:demo", "Example: from measured contact forces to the verdict for a gripper."),
    "check": ("holdfast.statics.command:check", "Test whether a scene holds; print the contact forces."),
    "limit": ("holdfast.statics.command:limit", "Largest multiple of a load that a scene holds."),
    "sweep": ("holdfast.statics.command:sweep", "Test a scene for gravity directions around a circle."),
    "onset": ("holdfast.statics.command:onset", "Angle or load factor at which a scene starts to fail.", _NONE),
    "share": (
        "holdfast.sharing.command:share",
        "Load sharing of elastic contacts: order of failure, peak load.",
        "holdfast.sharing.command:EXIT_CODES",
    ),
    "space": ("holdfast.wrench_spaces.command:space", "Wrench space: load limits in all directions."),
    "compare": ("holdfast.wrench_spaces.command:compare", "Compare the load limits of several scenes."),
    "stability": (
        "holdfast.dynamics.command:stability",
        "Strong stability: is rest the only motion that Coulomb's law allows?",
        "holdfast.dynamics.command:STABILITY_EXIT_CODES",
    ),
    "motion": (
        "holdfast.dynamics.command:motion",
        "One motion that Coulomb's law allows: rest, sliding or separation.",
        "holdfast.dynamics.command:MOTION_EXIT_CODES",
    ),
    "separate": (
        "holdfast.dynamics.command:separate",
        "Initial motion of a scene that does not hold, for any contact type.",
    ),
    "probability": ("holdfast.reliability.command:probability", "Probability that a scene holds.", _NONE),
    "scatter": ("holdfast.reliability.command:scatter", "Fit the scatter of strength to repeated trials.", _NONE),
    "sensitivity": (
        "holdfast.reliability.command:sensitivity",
        "How a load limit changes with contacts, joints and load.",
    ),
    "report": ("holdfast.reports.command:report", "Write a report on a scene as one HTML page."),
    "posture": ("holdfast.postures.command:posture", "Test whether a body supported by several hands holds."),
    "support": ("holdfast.postures.command:support", "Support region: positions of the centre of mass that hold."),
    "robot": ("holdfast.robots.command:robot", "Test whether a robot (URDF, xacro, MJCF) holds; what fails first."),
    "models": ("holdfast.force_limits.command:models", "List the ready contact models.", _NONE),
    "decompose": (
        "holdfast.force_limits.command:decompose",
        "Turn measured forces into a force volume of a few convex pieces.",
        _NONE,
    ),
    "motions": (
        "holdfast.planar.command:motions",
        "All motions that Coulomb's law allows, in 2D and 3D.",
        "holdfast.planar.command:MOTIONS_EXIT_CODES",
    ),
    "torques": (
        "holdfast.planar.command:torques",
        "Planar chains: joint torques that allow only the wanted motion.",
        "holdfast.planar.command:TORQUES_EXIT_CODES",
    ),
    "climb": (
        "holdfast.planar.command:climb",
        "Plan the climb of a planar snake robot between two walls.",
        "holdfast.planar.command:CLIMB_EXIT_CODES",
    ),
    "grasps": (
        "holdfast.grasps.command:grasps",
        "Find and rank planar grasps of a part in a picture.",
        "holdfast.grasps.command:EXIT_CODES",
    ),
    "compile": ("holdfast.precompiling.command:compile", "Compile all numerical kernels now, once per machine.", _NONE),
    "view": ("holdfast.viewer.command:view", "Show scenes, postures, wrench spaces and grasps in the browser."),
    "grasp-study": ("holdfast.grasps.command:app", "How robust the ranking of planar grasps is."),
    "grip": ("holdfast.grips.command:app", "Wrench sets of a hand: learn, show, info."),
    "scene": ("holdfast.scenes.command:app", "Scene files: check, show, list, copy; their JSON Schema."),
}


class _Commands(TyperGroup):
    """The commands of the table, imported when they are used; errors of Holdfast become a message and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, from its module; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        target, summary, *codes = COMMANDS[cmd_name]
        found = _imported(target)
        if not isinstance(found, typer.Typer):
            epilog = EXIT_CODES if not codes else codes[0] and _imported(codes[0])
            function, found = found, typer.Typer(rich_markup_mode=None, add_completion=False)
            found.command(cmd_name, epilog=epilog or None, short_help=summary)(function)
        command = get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The table as part of the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[1]) for name, entry in COMMANDS.items()])

    def main(self, *args: Any, **more: Any) -> Any:
        """Run the program; nothing that it prints steers the terminal."""
        with visible_output():
            return super().main(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        from .. import compiling
        from ..errors import HoldfastError, SolverError, missing_extra

        compiling.announce = compiling_notice
        try:
            try:
                return super().invoke(ctx)
            except ModuleNotFoundError as error:
                package = (error.name or "").partition(".")[0]
                if package not in EXTRAS:
                    raise
                raise missing_extra(package, EXTRAS[package], purpose=f"holdfast {ctx.invoked_subcommand}") from None
        except HoldfastError as error:
            complain(str(error), notes=getattr(error, "__notes__", ()), traceback=bool(ctx.params.get("debug")))
            raise typer.Exit(Exit.UNDECIDED if isinstance(error, SolverError) else Exit.BAD_INPUT) from None
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(Exit.INTERRUPTED) from None


def _imported(target: str) -> Any:
    """The object called "module:name"."""
    module, name = target.split(":")
    return getattr(importlib.import_module(module), name)


app = typer.Typer(
    cls=_Commands,
    name="holdfast",
    help="Predict whether contacts hold, how much load they carry, and what fails first.",
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
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the Python traceback of an error.")] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose", "-v", count=True, help="Log to standard error: compilations and fallbacks; -vv: every solve."
        ),
    ] = 0,
) -> None:
    """Options before the command."""
    if verbose:
        context.call_on_close(log_to_stderr(verbose))


def main() -> None:
    """Entry point of the program `holdfast`."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: threads would only wait
    try:
        app()
    except Exception as error:  # noqa: BLE001 - a crash must not look like "does not hold", which is exit code 1
        wanted = "--debug" in sys.argv
        advice = "" if wanted else "; run it again with --debug before the command and report what it shows"
        complain(f"internal error in Holdfast: {type(error).__name__}: {error}{advice}", traceback=wanted)
        sys.exit(Exit.FAULT)
