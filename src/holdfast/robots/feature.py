"""Robots: their command, page and files."""

from ..feature import Command, Feature, FileKind

#: A robot without a posture and contacts.
DESCRIPTION = FileKind(
    "robot description (URDF, xacro, MJCF)",
    ("robot",),
    suffixes=(".urdf", ".xacro", ".xml"),
    advice="in Python: holdfast.Robot.from_urdf or from_mjcf",
)

FEATURE = Feature(
    {"robot": Command("Test whether a robot (URDF, xacro, MJCF) holds; what fails first.", 180)},
    menu=80,
    shows=("robot", DESCRIPTION.name, "posture sequence"),
    files=[
        FileKind("robot", ("robot",), "robots.files:load_robot", fields=("robot",), page="docs/robots.md"),
        DESCRIPTION,
        FileKind("semantic robot description", suffixes=(".srdf",), advice="use holdfast robot URDF --srdf FILE"),
        FileKind("posture sequence", ("view",), "robots.sequences:load_sequence", word="holdfast posture sequence"),
    ],
)
