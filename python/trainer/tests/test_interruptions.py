"""Runs that are stopped, killed, starved or shared by several processes; each is a process of its own."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .run_kit import ENVIRONMENT, alpaca, events, losses, make_run, only, run_here, start

PATIENCE_S = 120.0


class Interruptions(unittest.TestCase):
    def setUp(self) -> None:
        self.started: list[subprocess.Popen[str]] = []

    def tearDown(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()

    def start(self, folder: Path, **options: Any) -> subprocess.Popen[str]:
        process = start(folder, **options)
        self.started.append(process)
        return process

    def wait_for(self, folder: Path, holds: Callable[[dict[str, Any]], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if any(holds(event) for event in events(folder)):
                return
            time.sleep(0.02)
        self.fail(f"{folder}: {(folder / 'run.log').read_text()[-3000:]}")

    def at_step(self, folder: Path, step: int) -> None:
        self.wait_for(folder, lambda event: event["type"] == "metrics" and event["step"] >= step)

    def test_killed_and_resumed_it_gives_the_losses_of_a_run_that_was_not(self) -> None:
        options: dict[str, Any] = {"epochs": 20, "save_steps": 7, "keep_checkpoints": 2}
        spec = {"lora": {"dropout": 0.2}}
        undisturbed = make_run(alpaca(), spec, **options)
        self.assertEqual(run_here(undisturbed), 0)
        expected = losses(undisturbed)
        self.assertEqual(len(expected), 200)
        folder = make_run(alpaca(), spec, **options)
        process = self.start(folder)
        self.at_step(folder, 40)
        process.kill()
        self.assertEqual(process.wait(), -signal.SIGKILL)
        process = self.start(folder)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.assertEqual(losses(folder), expected)
        self.assertEqual(only(folder, "done")["status"], "succeeded")
        weights = "output/adapter_model.safetensors"
        self.assertEqual((folder / weights).read_bytes(), (undisturbed / weights).read_bytes())

    def test_stopped_by_a_signal_it_keeps_its_last_step_and_goes_on_from_it(self) -> None:
        options = {"max_steps": 4000, "save_steps": 4000}
        folder = make_run(alpaca(), **options)
        process = self.start(folder)
        self.at_step(folder, 5)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.check_cancelled(folder)
        step = only(folder, "done")["step"]
        process = self.start(folder)
        self.at_step(folder, step + 2)
        with (folder / "control.ndjson").open("a") as file:
            file.write('{"cmd":"stop","save":true}\n')
        self.assertEqual(process.wait(PATIENCE_S), 0)
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
        process = self.start(folder)
        self.wait_for(folder, lambda event: event["type"] == "phase" and event["name"] == "model")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.assertEqual(only(folder, "done")["status"], "cancelled")
        self.assertEqual(events(folder, "metrics"), [])

    def test_stopped_while_it_evaluates_it_keeps_the_step(self) -> None:
        spec = {"data": {"eval_files": [str(make_run(alpaca() * 200) / "data.jsonl")]}}
        folder = make_run(alpaca(), spec, max_steps=50, eval_steps=2, save_steps=50)
        process = self.start(folder)
        self.wait_for(folder, lambda event: event["type"] == "progress" and event["phase"] == "eval")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.check_cancelled(folder)
        self.assertEqual(only(folder, "done")["step"], 2)

    def test_too_little_memory(self) -> None:
        folder = make_run(alpaca(), max_steps=5)
        # Enough to begin and too little for all the libraries.
        bound = 900 * 1024 * 1024
        process = self.start(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bound, bound)))
        self.assertEqual(process.wait(PATIENCE_S), 5, (folder / "run.log").read_text()[-2000:])
        self.assertEqual(only(folder, "error")["code"], "host_out_of_memory")

    def test_a_full_disk(self) -> None:
        folder = make_run(alpaca(), max_steps=50, save_steps=2)
        # Files may grow to this size only, as they may on a disk with so little room.
        bound = 60_000
        process = self.start(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bound, bound)))
        self.assertEqual(process.wait(PATIENCE_S), 6, (folder / "run.log").read_text()[-2000:])
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
        self.assertEqual(process.wait(PATIENCE_S), 0, (folder / "run.log").read_text()[-3000:])
        self.check_cancelled(folder)
        self.assertEqual(only(folder, "hello")["world_size"], 2)
        self.assertTrue((folder / only(folder, "checkpoint")["path"] / "rng_state_1.pth").exists())
        # One process cannot go on with what two began.
        self.assertEqual(run_here(folder), 2)
        self.assertEqual(only(folder, "error")["code"], "checkpoint_mismatch")


if __name__ == "__main__":
    unittest.main()
