"""Threads that die before they have begun."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any


def end_on_failed_start(tell: Callable[[BaseException], int]) -> None:
    """Ends the process with the status that `tell` gives when a thread cannot begin.

    Where memory is short, a new thread can fail before it says that it has begun. CPython's `Thread.start` then waits for that
    word for ever, while other threads go on and tell that all is well.
    """
    report = sys.unraisablehook

    def hook(met: Any) -> None:
        report(met)
        if getattr(met.object, "__func__", None) is not threading.Thread._bootstrap:  # type: ignore[attr-defined]
            return
        status = 1
        try:
            status = tell(met.exc_value or met.exc_type())
        finally:
            os._exit(status)

    sys.unraisablehook = hook
