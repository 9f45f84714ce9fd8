"""Stop strings, which may begin in one token and end in another."""

from __future__ import annotations

from collections.abc import Sequence


class StopFilter:
    """
    Lets text through up to the first stop string. What may be the beginning of one is kept back until that is decided, so
    that no part of a stop string is ever told. How the text is cut into pieces makes no difference.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop != ""]
        self._longest = max((len(stop) for stop in self._stops), default=0)
        self._kept = ""
        self.stopped = False

    def add(self, text: str) -> str:
        """The text that may be told now; once `stopped` is true there is none to come."""
        if self.stopped or text == "":
            return ""
        buffer = self._kept + text
        found = self._first_stop(buffer)
        if found is not None:
            self.stopped, self._kept = True, ""
            return buffer[:found]
        keep = self._open_length(buffer)
        self._kept = buffer[len(buffer) - keep :]
        return buffer[: len(buffer) - keep]

    def end(self) -> str:
        """What was kept back and turned out to be none."""
        rest, self._kept = self._kept, ""
        return rest

    def _first_stop(self, buffer: str) -> int | None:
        # The one that is whole first; of those that end together, the longest.
        hits = [(start + len(stop), start) for stop in self._stops if (start := buffer.find(stop)) >= 0]
        return min(hits)[1] if hits else None

    def _open_length(self, buffer: str) -> int:
        for length in range(min(len(buffer), self._longest - 1), 0, -1):
            if any(stop.startswith(buffer[-length:]) for stop in self._stops if len(stop) > length):
                return length
        return 0
