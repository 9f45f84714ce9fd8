"""Runs that go on, begin anew or end: which steps and evaluations they make, and which weights they leave behind."""

from __future__ import annotations

import json
import math
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .going_on_kit import (
    WEIGHTS,
    GoingOn,
    at_step,
    evaluations,
    kill,
    kill_before_output,
    names,
    nothing,
    record,
    spoil,
    stop,
    unlike,
)
from .run_kit import alpaca, events, losses, make_run, only


class OfThisRunOnly(GoingOn):
    def test_begun_anew_and_killed_it_goes_on_from_its_own(self) -> None:
        folder = make_run(alpaca(), max_steps=12, save_steps=4, keep_checkpoints=2)
        self.train(folder)
        expected = losses(folder)
        (folder / "events.ndjson").unlink()
        self.resume(folder, "never")
        self.train(folder, at_step(6, kill), -signal.SIGKILL)
        checkpoints = folder / "checkpoints"
        own, aside = names(checkpoints)
        self.assertEqual(own, "checkpoint-4")
        self.assertEqual(names(checkpoints / aside), ["checkpoint-12", "checkpoint-8"])
        self.assertIn(f"checkpoints/{aside}", only(folder, "log")["message"])
        self.resume(folder, "auto")
        self.train(folder)
        steps = [event["step"] for event in events(folder, "metrics")]
        self.assertEqual(steps, [*range(1, 7), *range(5, 13)])
        self.assertEqual(losses(folder), expected)
        self.assertEqual(names(checkpoints), ["checkpoint-12", "checkpoint-8", aside])

    def test_from_an_older_one_newer_ones_do_not_count(self) -> None:
        folder = make_run(alpaca(), max_steps=8, save_steps=2, keep_checkpoints=4)
        self.train(folder)
        self.resume(folder, str(folder / "checkpoints/checkpoint-2"))
        self.train(folder, at_step(5, kill), -signal.SIGKILL)
        own, aside = names(folder / "checkpoints")[:2], names(folder / "checkpoints")[2]
        self.assertEqual(own, ["checkpoint-2", "checkpoint-4"])
        self.assertEqual(names(folder / "checkpoints" / aside), ["checkpoint-4", "checkpoint-6", "checkpoint-8"])
        # And from one of those, which lies elsewhere now.
        self.resume(folder, str(folder / "checkpoints" / aside / "checkpoint-6"))
        self.train(folder, at_step(6, stop))
        self.assertEqual(names(folder / "checkpoints")[0], "checkpoint-7")

    def test_a_torn_one_does_not_cost_the_one_of_a_stop(self) -> None:
        folder = make_run(alpaca(), max_steps=40, save_steps=4, keep_checkpoints=1)

        def tear() -> None:
            from attune_trainer import checkpoints

            real = checkpoints.complete

            def complete(one: Path, identity: Any) -> int:
                return kill() if one.name == "checkpoint-8" else real(one, identity)

            checkpoints.complete = complete

        self.train(folder, tear, -signal.SIGKILL)
        self.assertEqual(names(folder / "checkpoints"), ["checkpoint-4", "checkpoint-8"])
        self.train(folder, at_step(5, stop))
        self.assertEqual(events(folder, "checkpoint")[-1]["step"], 6)
        self.assertEqual(names(folder / "checkpoints"), ["checkpoint-6"])


class Finite(GoingOn):
    def test_weights_that_are_no_numbers_are_never_saved(self) -> None:
        folder = make_run(alpaca(), max_steps=40, logging_steps=40, save_steps=2, keep_checkpoints=2)
        self.train(folder, at_step(5, spoil), 8)
        error = only(folder, "error")
        self.assertEqual(error["code"], "nonfinite_loss")
        self.assertIn("step 6 ", error["message"])
        self.assertIn("checkpoints/checkpoint-4.", error["message"])
        self.assertEqual(names(folder / "checkpoints"), ["checkpoint-2", "checkpoint-4"])
        self.assertFalse((folder / "output").exists())
        self.assertFalse((folder / "output.draft").exists())

    def test_a_stop_does_not_save_them_either(self) -> None:
        folder = make_run(alpaca(), max_steps=40, logging_steps=40, save_steps=40)
        self.train(folder, at_step(2, lambda model: (spoil(model), stop())), 8)
        self.assertIn("There is no good checkpoint.", only(folder, "error")["message"])
        self.assertFalse((folder / "checkpoints/checkpoint-3").exists())

    def test_every_kind_of_weights_is_seen(self) -> None:
        import torch

        from attune_trainer.trainer import are_finite

        for kind in (torch.float32, torch.float16, torch.bfloat16):
            good = [torch.full((3, 4), 60000.0, dtype=kind), torch.zeros(0, dtype=kind)]
            self.assertTrue(are_finite(good))
            for wrong in (math.nan, math.inf, -math.inf):
                bad = torch.ones(100, dtype=kind)
                bad[57] = wrong
                self.assertFalse(are_finite([*good, bad]), (kind, wrong))
        self.assertTrue(are_finite([]))

    def test_the_loss_after_the_last_logged_step(self) -> None:
        import torch

        from attune_trainer.protocol import RunError
        from attune_trainer.session import run_training

        trainer = SimpleNamespace(
            accelerator=SimpleNamespace(gather=lambda one: one[None]),
            model=torch.nn.Linear(2, 2),
            _tr_loss=torch.tensor(math.nan),
        )
        callback = SimpleNamespace(was_stopped=False, last_loss=1.0, hooks=None)
        with self.assertRaisesRegex(RunError, "after the last logged step"):
            run_training(trainer, callback, SimpleNamespace(saves=True), nothing)
        trainer._tr_loss = torch.tensor(0.5)
        self.assertEqual(run_training(trainer, callback, SimpleNamespace(saves=True), lambda: "result"), "result")


class Best(GoingOn):
    def test_the_output_is_the_best_evaluation_though_it_is_saved_less_often(self) -> None:
        options = {"eval_steps": 1, "save_steps": 3, "early_stopping_patience": 2}
        spec = {"data": {"eval_files": [unlike()]}}
        folder = make_run(
            alpaca(), spec, max_steps=9, learning_rate=0.05, scheduler="constant", keep_checkpoints=9, **options
        )
        self.train(folder)
        made = evaluations(folder)
        best = min(made, key=lambda one: one[1])
        # Else this test shows nothing.
        self.assertNotIn(best[0], (3, 6, 9, made[-1][0]))
        self.assertEqual((record(folder)["best_step"], only(folder, "done")["best_metric"]), best)
        output = (folder / "output" / WEIGHTS).read_bytes()
        self.assertEqual(output, (folder / f"checkpoints/checkpoint-{best[0]}" / WEIGHTS).read_bytes())

    def test_it_is_found_where_the_run_was_moved_to(self) -> None:
        spec = {"data": {"eval_files": [unlike()]}}
        options: dict[str, Any] = {"eval_steps": 1, "save_steps": 1, "early_stopping_patience": 9, "max_steps": 5}
        options |= {"learning_rate": 0.05, "scheduler": "constant", "keep_checkpoints": 1}
        undisturbed = make_run(alpaca(), spec, **options)
        self.train(undisturbed)
        best = record(undisturbed)["best_step"]
        self.assertLess(best, 5)
        folder = make_run(alpaca(), spec, **options)
        given = json.loads((folder / "spec.json").read_text())
        given["data"]["files"] = json.loads((undisturbed / "spec.json").read_text())["data"]["files"]
        (folder / "spec.json").write_text(json.dumps(given))
        self.train(folder, kill_before_output, -signal.SIGKILL)
        moved = folder.rename(folder.with_name(f"{folder.name}-moved"))
        self.train(moved)
        self.assertEqual(record(moved), record(undisturbed))
        self.assertEqual(*((one / "output" / WEIGHTS).read_bytes() for one in (moved, undisturbed)))

    def test_where_it_is_lost_another_one_is_chosen_and_that_is_said(self) -> None:
        spec = {"data": {"eval_files": [unlike()]}}
        options: dict[str, Any] = {"eval_steps": 1, "save_steps": 1, "early_stopping_patience": 9, "max_steps": 6}
        folder = make_run(alpaca(), spec, learning_rate=0.05, scheduler="constant", keep_checkpoints=1, **options)
        self.train(folder, at_step(4, kill), -signal.SIGKILL)
        lost, _ = names(folder / "checkpoints")
        shutil.rmtree(folder / "checkpoints" / lost)
        self.train(folder)
        self.assertTrue(any(f"{lost}, is not there" in one["message"] for one in events(folder, "log")))
        best = record(folder)["best_step"]
        self.assertIn((best, events(folder, "done")[-1]["best_metric"]), evaluations(folder)[-2:])
        kept = folder / f"checkpoints/checkpoint-{best}"
        self.assertEqual((folder / "output" / WEIGHTS).read_bytes(), (kept / WEIGHTS).read_bytes())
