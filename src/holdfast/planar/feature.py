"""Planar contact: its commands, pages, files and kernels."""

from ..feature import Command, Feature, FileKind, Kernels

FEATURE = Feature(
    {
        "motions": Command("All motions that Coulomb's law allows, in 2D and 3D.", 210),
        "torques": Command("Planar chains: joint torques that allow only the wanted motion.", 220),
        "climb": Command("Plan the climb of a planar snake robot between two walls.", 230),
    },
    menu=90,
    shows=("planar scene",),
    files=[
        FileKind(
            "planar scene",
            ("motions", "torques", "climb"),
            "planar.files:load_planar",
            fields=("planar",),
            folder="planar",
            page="docs/planar-files.md",
            variants={"body": ("motions",), "chain": ("torques", "motions"), "climb": ("climb",)},
        )
    ],
    kernels=[Kernels("planar contact", "planar.files:use_kernels", ("planar.kernels:enumerate_modes",), 50)],
)
