"""The web viewer: contacts, forces, wrench spaces, climbers, planar motions and grasps in a browser, offline."""

from __future__ import annotations
