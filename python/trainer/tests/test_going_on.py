"""Runs that go on, begin anew or end: which steps and evaluations they make, and which weights they leave behind."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import unittest
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .run_kit import RunTestCase, alpaca, events, fork, losses, make_run, only, pairs

WEIGHTS = "adapter_model.safetensors"
LANDS = ("Peru", "Chile", "Japan")
Before = Callable[[], None]


def nothing() -> None:
    pass


def at_step(step: int, action: Callable[[Any], None]) -> Before:
    """Has a run do something when it begins the step after this one."""

    def before() -> None:
        from attune_trainer.callback import RunCallback

        def on_step_begin(_self: Any, args: Any, state: Any, control: Any, model: Any, **_: Any) -> None:
            if state.global_step == step:
                action(model)

        RunCallback.on_step_begin = on_step_begin

    return before


def stop(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def kill(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def spoil(model: Any) -> None:
    for weights in model.parameters():
        if weights.requires_grad:
            weights.data.fill_(math.nan)


def stop_in_evaluation(step: int) -> Before:
    """Stops a run in the middle of the evaluation of this step."""

    def before() -> None:
        from attune_trainer.callback import RunCallback

        own = RunCallback.on_prediction_step
        seen = 0

        def on_prediction_step(self: Any, args: Any, state: Any, control: Any, **rest: Any) -> None:
            nonlocal seen
            if state.global_step == step:
                seen += 1
                if seen == 3:
                    stop()
            own(self, args, state, control, **rest)

        RunCallback.on_prediction_step = on_prediction_step

    return before


def kill_before_output() -> None:
    from attune_trainer.session import Session

    Session._finish = kill


def evaluations(folder: Path) -> list[tuple[int, float]]:
    return [(one["step"], one["metrics"]["loss"]) for one in events(folder, "metrics") if one["split"] == "eval"]


def record(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "output/training_run.json").read_text())


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir() if one.is_dir())


def unlike() -> str:
    """Data to evaluate with whose loss goes up where that of the others goes down."""
    rows = [{"instruction": f"Name the capital of {land}.", "output": "Nobody can say that."} for land in LANDS]
    return str(make_run(rows, name="unlike") / "data.jsonl")


class GoingOn(RunTestCase):
    def train(self, folder: Path, before: Before = nothing, status: int = 0) -> None:
        process = fork(folder, before)
        self.started.append(process)
        self.ends(process, folder, status)

    def resume(self, folder: Path, resume: str) -> None:
        spec = json.loads((folder / "spec.json").read_text())
        (folder / "spec.json").write_text(json.dumps({**spec, "resume": resume}))

    def assert_same(self, folder: Path, undisturbed: Path) -> None:
        self.assertEqual(losses(folder), losses(undisturbed))
        self.assertEqual(evaluations(folder), evaluations(undisturbed))
        ends = [events(one, "done")[-1] for one in (folder, undisturbed)]
        self.assertEqual(*((one["status"], one["step"], one["best_metric"]) for one in ends))
        self.assertEqual(record(folder), record(undisturbed))
        self.assertEqual(*((one / "output" / WEIGHTS).read_bytes() for one in (folder, undisturbed)))


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


class OwedEvaluations(GoingOn):
    # So that a random number more or less is seen in the losses.
    spec: dict[str, Any] = {"lora": {"dropout": 0.2}}  # noqa: RUF012

    def check(self, befores: tuple[Before, ...], spec: dict[str, Any], rows: Any = None, **options: Any) -> None:
        data = rows or alpaca()
        undisturbed = make_run(data, spec, **options)
        self.train(undisturbed)
        folder = make_run(data, spec, **options)
        # The same data at the same place.
        (folder / "spec.json").write_bytes((undisturbed / "spec.json").read_bytes())
        for before in befores:
            self.train(folder, before)
            self.assertEqual(events(folder, "done")[-1]["status"], "cancelled")
        self.train(folder)
        self.assert_same(folder, undisturbed)

    def test_after_a_stop_in_the_evaluation_at_the_end_of_an_epoch(self) -> None:
        spec = {**self.spec, "data": {"eval_files": [str(make_run(alpaca(), name="eval") / "data.jsonl")]}}
        twice = (stop_in_evaluation(20), stop_in_evaluation(20))
        self.check(twice, spec, epochs=4, early_stopping_patience=50, learning_rate=0.05)

    def test_after_a_stop_at_a_step_that_is_evaluated(self) -> None:
        spec = {**self.spec, "data": {"eval_files": [unlike()]}}
        self.check((at_step(4, stop), at_step(14, stop)), spec, max_steps=18, eval_steps=5, save_steps=100)

    def test_after_a_stop_in_an_evaluation_within_an_epoch_of_preferences(self) -> None:
        spec = {**self.spec, "method": "dpo", "data": {"eval_fraction": 0.4}}
        self.check((stop_in_evaluation(3),), spec, pairs(), max_steps=8, eval_steps=3, save_steps=100)

    def test_after_a_kill_between_saving_and_evaluating(self) -> None:
        options: dict[str, Any] = {"epochs": 2, "save_steps": 10}
        spec = {**self.spec, "data": {"eval_files": [unlike()]}}
        undisturbed = make_run(alpaca(), spec, **options)
        self.train(undisturbed)
        folder = make_run(alpaca(), spec, **options)
        (folder / "spec.json").write_bytes((undisturbed / "spec.json").read_bytes())

        def die_in_evaluation() -> None:
            from attune_trainer.callback import RunCallback

            RunCallback.on_prediction_step = kill_at_once

        def kill_at_once(*_: Any, **__: Any) -> None:
            kill()

        self.train(folder, die_in_evaluation, -signal.SIGKILL)
        self.assertEqual(evaluations(folder), [])
        self.train(folder)
        self.assert_same(folder, undisturbed)

    def test_it_may_be_the_one_after_which_patience_ends(self) -> None:
        spec = {**self.spec, "data": {"eval_files": [unlike()]}}
        options = {"eval_steps": 2, "early_stopping_patience": 1, "learning_rate": 0.05, "scheduler": "constant"}
        undisturbed = make_run(alpaca(), spec, max_steps=30, **options)
        self.train(undisturbed)
        last = evaluations(undisturbed)[-1][0]
        self.assertLess(last, 30)
        self.check((at_step(last - 1, stop),), spec, max_steps=30, **options)


class AtTheLastStep(GoingOn):
    def check(self, spec: dict[str, Any] | None = None, **options: Any) -> None:
        undisturbed = make_run(alpaca(), spec, **options)
        self.train(undisturbed)
        folder = make_run(alpaca(), spec, **options)
        (folder / "spec.json").write_bytes((undisturbed / "spec.json").read_bytes())
        self.train(folder, kill_before_output, -signal.SIGKILL)
        so_far = len(events(folder, "metrics"))
        self.train(folder)
        self.assertEqual(len(events(folder, "metrics")), so_far)
        self.assert_same(folder, undisturbed)

    def test_in_the_middle_of_an_epoch_and_at_its_end(self) -> None:
        self.check(max_steps=12, save_steps=4, scheduler="constant")
        self.check(epochs=1.5)
        self.check(epochs=2)

    def test_with_the_best_one_chosen(self) -> None:
        spec = {"data": {"eval_files": [unlike()]}}
        options = {"learning_rate": 0.05, "scheduler": "constant"}
        self.check(spec, max_steps=8, eval_steps=1, early_stopping_patience=50, **options)
        # Ended by its patience, not by its steps.
        self.check(spec, max_steps=30, eval_steps=1, early_stopping_patience=1, save_steps=1, **options)

    def test_with_an_evaluation_that_is_owed(self) -> None:
        spec = {"data": {"eval_files": [str(make_run(alpaca(), name="eval") / "data.jsonl")]}}
        options: dict[str, Any] = {"max_steps": 5, "eval_steps": 5, "save_steps": 5}
        undisturbed = make_run(alpaca(), spec, **options)
        self.train(undisturbed)
        folder = make_run(alpaca(), spec, **options)
        (folder / "spec.json").write_bytes((undisturbed / "spec.json").read_bytes())
        self.train(folder, stop_in_evaluation(5))
        self.train(folder)
        self.assert_same(folder, undisturbed)


if __name__ == "__main__":
    unittest.main()
