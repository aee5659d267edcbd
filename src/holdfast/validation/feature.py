"""Validation: its command."""

from ..feature import Command, Feature

FEATURE = Feature({"validate": Command("Compare Holdfast with measurements, textbooks and other programs.", 300)})
