"""Toolkit of the viewer: state of a client, canvas, verdict panel."""
