"""Postures: their commands, page, files and kernels."""

from ..feature import Command, Feature, FileKind, Kernels

FEATURE = Feature(
    {
        "posture": Command("Test whether a body supported by several hands holds.", 160),
        "support": Command("Support region: positions of the centre of mass that hold.", 170),
    },
    menu=70,
    shows=("posture",),
    files=[
        FileKind(
            "posture",
            ("posture", "support"),
            "postures.files:load_posture",
            fields=("hands", "grips", "body"),
            folder="postures",
            page="docs/posture-files.md",
        )
    ],
    kernels=[
        Kernels("postures and support regions", "postures.files:use_kernels", ("solvers.minkowski.solver:ask",), 10)
    ],
)
