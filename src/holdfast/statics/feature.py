"""Statics: its commands."""

from ..feature import Command, Feature

FEATURE = Feature(
    {
        "check": Command("Test whether a scene holds; print the contact forces.", 20, several=True),
        "limit": Command("Largest multiple of a load that a scene holds.", 30, several=True),
        "sweep": Command("Test a scene for gravity directions around a circle.", 40, several=True),
        "onset": Command("Angle or load factor at which a scene starts to fail.", 50, several=True, exit_codes=False),
    }
)
