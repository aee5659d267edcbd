"""Grips: their commands and files."""

from ..feature import Command, Feature, FileKind

FEATURE = Feature(
    {"grip": Command("Wrench sets of a hand: learn, show, info.", 280, "grips.command:app")},
    files=[
        FileKind(
            "grip",
            ("grip info", "grip show"),
            "grips.files:load_grip",
            word="holdfast grip",
            advice="name it in a posture file: grips: {NAME: {file: FILE}}",
        )
    ],
)
