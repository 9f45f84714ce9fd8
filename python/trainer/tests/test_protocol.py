"""Lines of events on a disk that is full for a while."""

import json
import resource
import signal
import unittest
from pathlib import Path

from attune_trainer.protocol import EventWriter

from . import run_kit


class TornLines(unittest.TestCase):
    def setUp(self) -> None:
        self.path = Path(run_kit.scratch(), f"{self.id()}.ndjson")
        self.writer = EventWriter(self.path)
        self.addCleanup(self.writer.close)
        # Else the first byte beyond the limit ends the process.
        self.addCleanup(signal.signal, signal.SIGXFSZ, signal.signal(signal.SIGXFSZ, signal.SIG_IGN))

    def emit_with_room_for(self, room: int, type: str) -> None:
        """Tries to write where the file may have so many bytes more."""
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.path.stat().st_size + room, hard))
        try:
            with self.assertRaises(OSError):
                self.writer.emit(type)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    def types(self) -> list[str | None]:
        """By whole lines; None for one that is no event."""
        content = self.path.read_bytes()
        self.assertTrue(content.endswith(b"\n"))
        found: list[str | None] = []
        for line in content.splitlines():
            try:
                found.append(json.loads(line)["type"])
            except ValueError:
                found.append(None)
        return found

    def test_a_torn_line_does_not_swallow_the_next_event(self) -> None:
        self.writer.emit("hello")
        self.emit_with_room_for(20, "heartbeat")
        self.writer.emit("done")
        self.writer.emit("log")
        self.assertEqual(self.types(), ["hello", None, "done", "log"])

    def test_nor_do_several_of_them(self) -> None:
        self.writer.emit("hello")
        for room in (20, 1, 0, 10):
            self.emit_with_room_for(room, "heartbeat")
        self.writer.emit("done")
        self.assertEqual([one for one in self.types() if one is not None], ["hello", "done"])

    def test_what_was_not_begun_leaves_no_line(self) -> None:
        self.writer.emit("hello")
        self.emit_with_room_for(0, "heartbeat")
        self.writer.emit("done")
        self.assertEqual(self.types(), ["hello", "done"])


if __name__ == "__main__":
    unittest.main()
