"""Wrench spaces: their commands, page and files."""

from ..feature import Command, Feature, FileKind

FEATURE = Feature(
    {
        "space": Command("Wrench space: load limits in all directions.", 70),
        "compare": Command("Compare the load limits of several scenes.", 80),
    },
    menu=30,
    shows=("scene",),
    files=[
        FileKind(
            "wrench space",
            reader="wrench_spaces.files:load_space",
            word="holdfast wrench space",
            advice="read it in Python: holdfast.load",
        )
    ],
)
