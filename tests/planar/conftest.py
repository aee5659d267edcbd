"""Fixtures of the command line and of pictures."""

from tests.cli.conftest import run as run
from tests.cli.conftest import run_json as run_json
from tests.plotting.conftest import area as area
from tests.plotting.conftest import artists as artists
from tests.plotting.conftest import drawn as drawn
from tests.plotting.conftest import pixels as pixels
