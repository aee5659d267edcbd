"""Scenes: their commands, page and files."""

from ..feature import Command, Feature, FileKind

FEATURE = Feature(
    {
        "demo": Command("Example: from measured contact forces to the verdict for a gripper.", 10, "cli.demo:demo"),
        "scene": Command("Scene files: check, show, list, copy; their JSON Schema.", 290, "scenes.command:app"),
    },
    menu=10,
    shows=("scene", "table of numbers"),
    files=[
        FileKind(
            "scene",
            ("check", "limit", "space"),
            "scenes.files:load_scene",
            fields=(
                *("contacts", "patches", "fingers", "device", "volumes", "joints", "object", "scatter", "drawing"),
                *("bodies", "world", "interfaces"),
            ),
            folder="scenes",
            page="docs/scene-files.md",
        )
    ],
)
