"""The papers: devices, tables, figures and experiments, computed again and compared."""
