"""Drives the field's training and inference engines for Attune."""

__version__ = "0.1.0"
