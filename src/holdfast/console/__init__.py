"""Toolkit of the command line: options, tables, JSON, progress."""
