"""Planar grasps: their commands, page and files."""

from ..feature import Command, Feature, FileKind

FEATURE = Feature(
    {
        "grasps": Command("Find and rank planar grasps of a part in a picture.", 240),
        "grasp-study": Command("How robust the ranking of planar grasps is.", 270, "grasps.command:app"),
    },
    menu=100,
    shows=("picture", "contour", "table of numbers", "part"),
    files=[
        FileKind("contour", ("grasps", "view"), suffixes=(".svg", ".dxf")),
        FileKind(
            "picture",
            ("grasps", "view"),
            suffixes=(".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm"),
        ),
        FileKind("part", ("grasps", "view"), ready="grasps.parts:part_titles"),
        FileKind("hand for planar grasps", suffixes=(".toml",), advice="use holdfast grasps PICTURE --hand FILE"),
    ],
)
