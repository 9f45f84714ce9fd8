"""Runs that are stopped, killed, starved or shared by several processes; each is a process of its own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import unittest
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from . import run_kit
from .run_kit import ENVIRONMENT, RunTestCase, alpaca, events, fork, losses, make_run, only, start


class Interruptions(RunTestCase):
    def fork(self, folder: Path, before: Callable[[], None] = lambda: None) -> ForkProcess:
        process = fork(folder, before)
        self.started.append(process)
        return process

    def at_step(self, folder: Path, step: int) -> None:
        self.wait_for(folder, lambda event: event["type"] == "metrics" and event["step"] >= step)

    def test_killed_and_resumed_it_gives_the_losses_of_a_run_that_was_not(self) -> None:
        options: dict[str, Any] = {"epochs": 20, "save_steps": 7, "keep_checkpoints": 2}
        spec = {"lora": {"dropout": 0.2}}
        undisturbed = make_run(alpaca(), spec, **options)
        self.ends(self.fork(undisturbed), undisturbed)
        expected = losses(undisturbed)
        self.assertEqual(len(expected), 200)
        folder = make_run(alpaca(), spec, **options)
        for step in (20, 90):
            process = self.fork(folder)
            self.at_step(folder, step)
            process.kill()
            self.ends(process, folder, -signal.SIGKILL)
        self.ends(self.fork(folder), folder)
        self.assertEqual(losses(folder), expected)
        self.assertEqual(only(folder, "done")["status"], "succeeded")
        weights = "output/adapter_model.safetensors"
        self.assertEqual((folder / weights).read_bytes(), (undisturbed / weights).read_bytes())

    def test_stopped_it_keeps_its_last_step_and_goes_on_from_it(self) -> None:
        options = {"max_steps": 4000, "save_steps": 4000}
        folder = make_run(alpaca(), **options)
        process = self.fork(folder)
        self.at_step(folder, 5)
        with (folder / "control.ndjson").open("a") as file:
            file.write('{"cmd":"stop","save":true}\n')
        self.ends(process, folder)
        self.check_cancelled(folder)
        step = only(folder, "done")["step"]
        # The line in the control file was for the process before.
        process = self.fork(folder)
        self.at_step(folder, step + 2)
        process.terminate()
        self.ends(process, folder)
        steps = [event["step"] for event in events(folder, "metrics")]
        self.assertEqual(steps, list(range(1, len(steps) + 1)))

    def check_cancelled(self, folder: Path) -> None:
        done, checkpoint = only(folder, "done"), only(folder, "checkpoint")
        self.assertEqual((done["status"], checkpoint["reason"], checkpoint["complete"]), ("cancelled", "cancel", True))
        self.assertEqual(checkpoint["step"], done["step"])
        self.assertTrue((folder / checkpoint["path"] / "optimizer.pt").exists())
        self.assertFalse((folder / checkpoint["path"] / "checkpoint-is-incomplete.txt").exists())
        self.assertFalse((folder / "output").exists())

    def test_stopped_before_it_trains_it_ends_at_once(self) -> None:
        folder = make_run(alpaca())
        process = start(folder)
        self.started.append(process)
        self.wait_for(folder, lambda event: event["type"] == "phase" and event["name"] == "model")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(self.patience_s), 0)
        self.assertEqual(only(folder, "done")["status"], "cancelled")
        self.assertEqual(events(folder, "metrics"), [])

    def test_stopped_while_it_evaluates_it_keeps_the_step(self) -> None:
        spec = {"data": {"eval_files": [str(make_run(alpaca() * 200) / "data.jsonl")]}}
        folder = make_run(alpaca(), spec, max_steps=50, eval_steps=2, save_steps=50)
        process = self.fork(folder)
        self.wait_for(folder, lambda event: event["type"] == "progress" and event["phase"] == "eval")
        process.terminate()
        self.ends(process, folder)
        self.check_cancelled(folder)
        self.assertEqual(only(folder, "done")["step"], 2)

    def test_too_little_memory(self) -> None:
        folder = make_run(alpaca(), {"model": {"path": wide_model()}, "tuning": "full"}, max_steps=5)

        def starve() -> None:
            # Room for a little more than what is there already, and not for a model of 80 MB, its gradients and averages.
            bound = address_space() + 100 * 1024 * 1024
            resource.setrlimit(resource.RLIMIT_AS, (bound, bound))

        self.ends(self.fork(folder, starve), folder, 5)
        self.assertEqual(only(folder, "error")["code"], "host_out_of_memory")

    def test_a_full_disk(self) -> None:
        folder = make_run(alpaca(), max_steps=50, save_steps=2)

        def fill() -> None:
            # Files may grow to this size only, as they may on a disk with so little room.
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

        self.ends(self.fork(folder, fill), folder, 6)
        self.assertEqual(only(folder, "error")["code"], "disk_full")
        # What was begun is not taken for a checkpoint.
        torn = folder / "checkpoints/checkpoint-2"
        self.assertTrue((torn / "checkpoint-is-incomplete.txt").exists())

    def test_two_processes_stop_at_the_same_step(self) -> None:
        folder = make_run(alpaca(), max_steps=3000, save_steps=3000, batch_size=2)
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        log = (folder / "run.log").open("a")
        process = subprocess.Popen(
            [*command, "-m", "attune_trainer.train", str(folder)], env=ENVIRONMENT, stdout=log, stderr=log, text=True
        )
        self.started.append(process)
        self.at_step(folder, 5)
        # To rank 0 alone, whose process said hello: the other one hears of it from there.
        os.kill(only(folder, "hello")["pid"], signal.SIGTERM)
        self.assertEqual(process.wait(self.patience_s), 0, (folder / "run.log").read_text()[-3000:])
        self.check_cancelled(folder)
        self.assertEqual(only(folder, "hello")["world_size"], 2)
        self.assertTrue((folder / only(folder, "checkpoint")["path"] / "rng_state_1.pth").exists())
        # One process cannot go on with what two began.
        self.ends(self.fork(folder), folder, 2)
        self.assertEqual(only(folder, "error")["code"], "checkpoint_mismatch")


def wide_model() -> str:
    from attune_trainer.testing.tiny_model import write_tiny_model

    return str(write_tiny_model(run_kit.scratch() / "wide", hidden=1024, layers=2))


def address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    unittest.main()
