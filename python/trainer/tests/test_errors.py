"""What the libraries raise, as the causes and statuses that the agent knows."""

from __future__ import annotations

import os
import resource
import unittest

from attune_trainer.errors import as_bad_spec, to_run_error


class Causes(unittest.TestCase):
    def test_what_the_libraries_say(self) -> None:
        import torch
        from safetensors import SafetensorError

        cases: list[tuple[BaseException, str, int]] = [
            (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), "out_of_memory", 5),
            (RuntimeError("CUDA error: out of memory"), "out_of_memory", 5),
            (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), "host_out_of_memory", 5),
            (MemoryError(), "host_out_of_memory", 5),
            (SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"), "disk_full", 6),
            (SafetensorError("Error while deserializing header: invalid JSON"), "model_corrupt", 4),
            (RuntimeError("CUDA error: no kernel image is available for execution on the device"), "gpu_unavailable", 7),
            (ModuleNotFoundError("No module named 'peft'"), "environment", 7),
            (RuntimeError("[Rank 0] Watchdog caught collective operation timeout"), "distributed_timeout", 1),
            (FileNotFoundError(2, "No such file"), "file_not_found", 4),
            (RuntimeError("something else"), "engine_failed", 1),
        ]  # fmt: skip
        for error, code, status in cases:
            with self.subTest(error=error):
                found = to_run_error(error)
                self.assertEqual((found.code, found.exit_code), (code, status))
                self.assertTrue(found.message)

    def test_an_import_that_fails_for_want_of_memory(self) -> None:
        with self.assertRaises(ModuleNotFoundError) as raised:
            try:
                raise MemoryError
            except MemoryError as error:
                raise ModuleNotFoundError("Could not import module 'Trainer'.") from error
        found = to_run_error(raised.exception)
        self.assertEqual((found.code, found.message), ("host_out_of_memory", "MemoryError: no further word"))

    def test_what_cpython_loses_at_the_memory_limit(self) -> None:
        child = os.fork()
        if child == 0:
            told: tuple[str, ...] = ()
            try:
                lost = SystemError("error return without exception set")
                before = to_run_error(lost).code
                with open("/proc/self/statm", encoding="ascii") as file:
                    size = int(file.read().split()[0]) * resource.getpagesize()
                # Little is left, and enough for what follows.
                resource.setrlimit(resource.RLIMIT_AS, (size + (32 << 20), resource.RLIM_INFINITY))
                told = (before, to_run_error(lost).code, to_run_error(ValueError("something else")).code)
            finally:
                os._exit(0 if told == ("engine_failed", "host_out_of_memory", "engine_failed") else 1)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_a_disk_that_is_full(self) -> None:
        with self.assertRaises(OSError) as raised, open("/dev/full", "wb", buffering=0) as full:
            full.write(b"x")
        self.assertEqual(to_run_error(raised.exception).code, "disk_full")

    def test_arguments_that_are_refused(self) -> None:
        self.assertEqual(as_bad_spec(ValueError("no such target")).code, "bad_spec")
        self.assertEqual(as_bad_spec(RuntimeError("something else")).code, "engine_failed")


if __name__ == "__main__":
    unittest.main()
