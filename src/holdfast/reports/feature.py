"""Reports: their command."""

from ..feature import Command, Feature

FEATURE = Feature({"report": Command("Write a report on a scene as one HTML page.", 150, several=True)})
