"""Force limits: their commands and files."""

from ..feature import Command, Feature, FileKind

FEATURE = Feature(
    {
        "models": Command("List the ready contact models.", 190, exit_codes=False),
        "decompose": Command("Turn measured forces into a force volume of a few convex pieces.", 200, exit_codes=False),
    },
    files=[
        FileKind(
            "limit surface", ("decompose",), "force_limits.surface:LimitSurface.load", word="holdfast limit surface"
        ),
        FileKind(
            "force volume",
            reader="force_limits.files:load_volume",
            word="holdfast force volume",
            advice="name it in a scene file: volumes: {NAME: {file: FILE}}",
        ),
        FileKind(
            "table of numbers",
            ("decompose", "scatter", "grasps"),
            "force_limits.measurements:read_measurements",
            suffixes=(".csv",),
            advice="for measured limit forces, repeated trials or a contour",
        ),
    ],
)
