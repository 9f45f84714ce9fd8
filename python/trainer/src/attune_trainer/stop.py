"""A request to end a run, by SIGTERM or by the control file; both come to the main thread as the signal."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from .protocol import ControlReader, watch

LOOK_EVERY_S = 0.25


class Stopped(BaseException):
    """Raised where a run is stopped outside of training; not an Exception, so that no library swallows it."""


class StopRequest:
    """
    Until `defer` the main thread is interrupted at once by `Stopped`: nothing is lost while data and model are loaded. From then
    on a request is only remembered, and training ends at its next step. One process of several waits for that step always, as
    the others would wait for it.
    """

    def __init__(self, is_alone: bool) -> None:
        self.is_requested = False
        self.saves = True
        self._is_alone = is_alone
        self._is_deferred = not is_alone

    def listen(self, control: str | Path | None, *, is_resumed: bool = False) -> None:
        """
        `control` is None for processes that are told by that of rank 0. `is_resumed`: the file may hold the stop of the process
        before, which does not concern this one.
        """
        signal.signal(signal.SIGTERM, self._on_signal)
        if control is None:
            return
        reader = ControlReader(control)
        if is_resumed:
            reader.skip_written()

        def look() -> None:
            for command in reader.commands():
                if command.get("cmd") == "stop":
                    self.saves = self.saves and command.get("save") is not False
                    os.kill(os.getpid(), signal.SIGTERM)

        watch(look, LOOK_EVERY_S)

    def defer(self) -> None:
        self._is_deferred = True
        if self.is_requested and self._is_alone:
            raise Stopped

    def _on_signal(self, _number: int, _frame: Any) -> None:
        is_first = not self.is_requested
        self.is_requested = True
        # The agent asks by the signal and by the file; the second must not interrupt the ending that the first began.
        if is_first and not self._is_deferred:
            raise Stopped
