#!/usr/bin/env python3
"""Adds."""


def add(a: int, b: int) -> int:
    return a + b  # ``fence``
