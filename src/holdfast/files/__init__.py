"""Toolkit of file formats: YAML with line numbers, errors with file, line and field."""
