"""The command line: the commands of the features.

Nothing else is imported before a command runs, so that `holdfast --help` is fast.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ..console.options import Exit
from ..console.output import compiling_notice, complain, log_to_stderr, visible_output
from ..feature import imported
from ..features import commands

EXIT_CODES = """Exit codes: 0 holds, 1 does not hold, 2 bad input, 3 undecided, 130 interrupted, 70 internal error."""

#: Packages that are installed with an extra of Holdfast.
EXTRAS = {"matplotlib": "plot", "viser": "view"}


class _Commands(TyperGroup):
    """The commands of the features, imported when they are used; errors become a message and an exit code."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the help."""
        return list(commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, from its module; None for an unknown name."""
        if cmd_name not in commands():
            return None
        entry = commands()[cmd_name]
        found = imported(f"holdfast.{entry.target}")
        if not isinstance(found, typer.Typer):
            codes = vars(sys.modules[found.__module__]).get(f"{cmd_name.upper()}_EXIT_CODES", EXIT_CODES)
            function, found = found, typer.Typer(rich_markup_mode=None, add_completion=False)
            found.command(cmd_name, epilog=codes if entry.exit_codes else None, short_help=entry.summary)(function)
        command = get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands as part of the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in commands().items()])

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
