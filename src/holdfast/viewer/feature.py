"""The viewer: its command."""

from ..feature import Command, Feature

FEATURE = Feature({"view": Command("Show scenes, postures, wrench spaces and grasps in the browser.", 260)})
