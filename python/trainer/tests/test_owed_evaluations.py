"""Evaluations that a break has left out, and runs that are at their last step."""

from __future__ import annotations

import signal
import unittest
from typing import Any

from .going_on_kit import (
    Before,
    GoingOn,
    at_step,
    evaluations,
    kill,
    kill_before_output,
    stop,
    stop_in_evaluation,
    unlike,
)
from .run_kit import alpaca, events, make_run, pairs


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
