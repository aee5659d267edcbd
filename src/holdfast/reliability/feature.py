"""Reliability: its commands."""

from ..feature import Command, Feature

FEATURE = Feature(
    {
        "probability": Command("Probability that a scene holds.", 120, several=True, exit_codes=False),
        "scatter": Command("Fit the scatter of strength to repeated trials.", 130, exit_codes=False),
        "sensitivity": Command("How a load limit changes with contacts, joints and load.", 140),
    }
)
