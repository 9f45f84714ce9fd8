"""A thread that cannot begin ends the run, instead of leaving it to wait for ever."""

from __future__ import annotations

import os
import signal
import threading
import unittest
from unittest import mock

from attune_trainer.errors import to_run_error
from attune_trainer.failed_threads import end_on_failed_start


class FailedThreads(unittest.TestCase):
    def test_the_process_ends_with_the_status_of_the_failure(self) -> None:
        child = os.fork()
        if child == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                signal.alarm(20)
                end_on_failed_start(lambda error: to_run_error(error).exit_code)
                with mock.patch.object(threading.Thread, "_set_ident", side_effect=MemoryError):
                    threading.Thread(target=print).start()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 5)


if __name__ == "__main__":
    unittest.main()
