"""A worker that must not outlive the process that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

EXIT_PARENT_GONE = 113
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Asks the kernel to end this process when its parent ends; without ATTUNE_PARENT_PID, or not on Linux, does nothing."""
    parent = os.environ.get("ATTUNE_PARENT_PID", "")
    if not parent.isdecimal() or not sys.platform.startswith("linux"):
        return
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        print(
            f"the kernel does not end this process with its parent: {os.strerror(ctypes.get_errno())}", file=sys.stderr
        )
    if os.getppid() != int(parent):
        # It ended before the kernel was asked.
        os._exit(EXIT_PARENT_GONE)
