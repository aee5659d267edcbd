"""The papers: their commands and page."""

from ..feature import Command, Feature

FEATURE = Feature(
    {
        "demo": Command("Example: from measured contact forces to the verdict for a gripper.", 10),
        "paper": Command("Recompute the tables and figures of the papers.", 310, "papers.command:app"),
    },
    menu=60,
)
