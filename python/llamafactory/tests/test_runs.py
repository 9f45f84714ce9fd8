"""Runs of every method, and what the events say of them."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import signal
import struct
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .run_kit import RunTestCase, alpaca, events, feedback, losses, make_run, only, pairs, texts, tiny_model


def spoilt(good: str, name: str, file: str, change: Callable[[bytes], bytes]) -> str:
    """A copy of a model with one file changed."""
    folder = Path(good).with_name(name)
    shutil.copytree(good, folder, dirs_exist_ok=True)
    (folder / file).write_bytes(change((folder / file).read_bytes()))
    return str(folder)


def strange(good: str) -> str:
    """Of an architecture that nobody knows."""
    old, new = b'"model_type": "llama"', b'"model_type": "strange"'
    return spoilt(good, "strange", "config.json", lambda text: text.replace(old, new))


def numberless(good: str) -> str:
    """With all bits of every weight set, which is no number in any format."""

    def change(content: bytes) -> bytes:
        start = 8 + struct.unpack("<Q", content[:8])[0]
        return content[:start] + b"\xff" * (len(content) - start)

    return spoilt(good, "numberless", "model.safetensors", change)


class Methods(RunTestCase):
    def test_lora_learns_and_every_file_that_it_leaves_is_told_as_it_is(self) -> None:
        folder = self.train(make_run(alpaca(), epochs=6, save_steps=10))
        told = losses(folder)
        self.assertEqual(sorted(told), list(range(1, 37)))
        # Its head is frozen and small, so that there is not much that it can learn.
        self.assertLess(told[36], told[1] - 0.2)
        first = events(folder, "metrics")[0]
        self.assertGreater(first["metrics"]["learning_rate"], 0)
        self.assertEqual(first["total"], 36)
        hello = events(folder)[0]
        self.assertEqual((hello["type"], hello["versions"]["llamafactory"]), ("hello", "0.9.5"))
        data = only(folder, "dataset")
        self.assertEqual((data["records_raw"], data["records_valid"], data["train"], data["eval"]), (24, 24, 24, 0))
        self.assertEqual(
            (data["format"], data["loss_on"], data["truncated"], data["dropped"]), ("alpaca", "completion", 0, {})
        )
        self.assertGreater(data["tokens"], 24 * 10)
        phases = [event["name"] for event in events(folder, "phase") if event["state"] == "start"]
        self.assertEqual(phases, ["dataset", "tokenize", "model", "train", "save"])
        self.check_artifacts(folder, "adapter_model.safetensors")
        self.assertEqual([one["step"] for one in events(folder, "checkpoint")], [10, 20, 30, 36])
        kept = sorted(path.name for path in (folder / "checkpoints").glob("checkpoint-*"))
        self.assertEqual(kept, ["checkpoint-30", "checkpoint-36"])
        self.assertLess(only(folder, "result")["metrics"]["train_loss"], told[1])
        self.assertEqual(events(folder)[-1]["status"], "succeeded")

    def check_artifacts(self, folder: Path, wanted: str) -> None:
        told = {one["path"]: one for one in events(folder, "artifact")}
        there = [path for path in (folder / "output").rglob("*") if path.is_file()]
        self.assertEqual(sorted(told), sorted(path.relative_to(folder).as_posix() for path in there))
        for path in there:
            one = told[path.relative_to(folder).as_posix()]
            content = path.read_bytes()
            self.assertEqual(
                (one["size_bytes"], one["checksum_sha256"]), (len(content), hashlib.sha256(content).hexdigest())
            )
        self.assertIn(f"output/{wanted}", told)
        self.assertFalse((folder / "output.draft").exists())
        self.assertFalse((folder / "llamafactory/cache").exists())

    def test_in_full_with_what_the_schedule_needs(self) -> None:
        folder = self.train(
            make_run(alpaca(), {"tuning": "full"}, max_steps=12, scheduler="warmup_stable_decay", warmup=0.1)
        )
        self.assertLess(losses(folder)[12], losses(folder)[1])
        self.check_artifacts(folder, "model.safetensors")

    def test_preferences(self) -> None:
        folder = self.train(make_run(pairs(), {"method": "dpo"}, max_steps=8))
        self.assertAlmostEqual(losses(folder)[1], math.log(2), places=4)
        self.assertLess(losses(folder)[8], losses(folder)[1])
        self.assertGreater(events(folder, "metrics")[-1]["metrics"]["rewards/margins"], 0)
        self.check_artifacts(folder, "adapter_model.safetensors")

    def test_wanted_and_unwanted_answers(self) -> None:
        folder = self.train(make_run(feedback(), {"method": "kto"}, max_steps=6))
        self.assertLess(losses(folder)[6], losses(folder)[1])
        self.assertEqual(only(folder, "dataset")["format"], "kto")

    def test_documents_one_by_one_and_packed(self) -> None:
        apart = self.train(make_run(texts(), {"method": "cpt"}, max_steps=6))
        self.assertLess(losses(apart)[6], losses(apart)[1])
        packed = self.train(make_run(texts(), {"method": "cpt"}, max_steps=3, packing=True, max_length=50))
        whole, some = only(apart, "dataset"), only(packed, "dataset")
        self.assertEqual(some["tokens"], some["packed_sequences"] * 49)
        left_over = whole["tokens"] - some["tokens"]
        warned = [
            event["message"] for event in events(packed, "log") if f"{left_over} tokens at the end" in event["message"]
        ]
        self.assertEqual(len(warned), 1 if left_over > 0 else 0)

    def test_packed_examples_are_as_many_as_apart(self) -> None:
        folder = self.train(make_run(alpaca(), max_steps=4, packing=True, max_length=96))
        data = only(folder, "dataset")
        self.assertEqual(data["train"], 24)
        self.assertLess(data["packed_sequences"], 24)
        self.assertLess(losses(folder)[4], losses(folder)[1])

    def test_evaluation_and_a_stop_that_comes_early(self) -> None:
        options: dict[str, Any] = {"eval_steps": 1, "save_steps": 1, "early_stopping_patience": 1}
        spec = {"data": {"eval_fraction": 0.3}}
        folder = self.train(make_run(alpaca(), spec, max_steps=40, **{**options, "learning_rate": 3.0}))
        evaluated = [event for event in events(folder, "metrics") if event["split"] == "eval"]
        done = events(folder)[-1]
        self.assertLess(done["step"], 40)
        self.assertEqual(len(evaluated), done["step"])
        self.assertAlmostEqual(done["best_metric"], min(event["metrics"]["loss"] for event in evaluated), places=6)
        data = only(folder, "dataset")
        self.assertEqual(data["train"] + data["eval"], 24)

    def test_what_is_cut_is_counted(self) -> None:
        long = [{"instruction": row["instruction"] * 9, "output": row["output"]} for row in alpaca()[:8]]
        folder = self.train(make_run([*alpaca()[8:], *long], max_steps=1, max_length=64))
        self.assertEqual(only(folder, "dataset")["truncated"], 8)

    def test_a_template_of_the_specification_is_learned_in_and_kept(self) -> None:
        template = "{% for message in messages %}[{{ message.role }}] {{ message.content }}<|im_end|>{% endfor %}"
        template += "{% if add_generation_prompt %}[assistant] {% endif %}"
        spec = {"model": {"path": tiny_model(has_template=False), "chat_template": template}}
        folder = self.train(make_run(alpaca(), spec, max_steps=1))
        self.assertEqual((folder / "output/chat_template.jinja").read_text("utf-8"), template)
        self.assertIn("[user] What is", (folder / "run.log").read_text("utf-8"))
        self.assertEqual(events(folder, "log"), [])

    def test_a_template_that_llamafactory_writes_otherwise_is_told(self) -> None:
        template = "{% for message in messages %}{{ loop.index }} {{ message.role }}: {{ message.content }}<|im_end|>{% endfor %}"
        template += "{% if add_generation_prompt %}2 assistant: {% endif %}"
        rows = [{"conversations": [{"from": name, "value": "Hi."} for name in ("human", "gpt") * 2]}] * 8
        folder = self.train(make_run(rows, {"model": {"path": tiny_model(), "chat_template": template}}, max_steps=1))
        warned = [event["message"] for event in events(folder, "log") if event["message"].startswith("chat template: ")]
        self.assertEqual(len(warned), 1)
        self.assertIn("8 of 8 conversations otherwise", warned[0])

    def test_a_model_without_a_template_gets_none_by_learning_texts(self) -> None:
        spec = {"method": "cpt", "model": {"path": tiny_model(has_template=False)}}
        folder = self.train(make_run(texts(), spec, max_steps=1))
        self.assertFalse((folder / "output/chat_template.jinja").exists())


class Failures(RunTestCase):
    def fails(self, code: str, says: str, folder: Path, status: int) -> None:
        error = self.failure(self.train(folder, status))
        self.assertEqual((error["code"], says in error["message"]), (code, True), error)
        self.assertFalse((folder / "output").exists())

    def test_each_has_its_cause(self) -> None:
        good, mute = tiny_model(), tiny_model(has_template=False)
        alike = [{**row, "rejected": row["chosen"]} for row in pairs()]
        one_bad = [*alpaca(), {"instruction": "?"}]
        cases: list[tuple[str, str, int, Path]] = [
            ("bad_dataset", "records cannot be used (missing_field: 1). data.jsonl, line 25", 3, make_run(one_bad)),
            ("file_not_found", "no folder /nowhere", 4, make_run(alpaca(), {"model": {"path": "/nowhere"}})),
            ("chat_template_missing", "no chat template", 4, make_run(alpaca(), {"model": {"path": mute}})),
            ("bad_spec", "'hinge'", 2, make_run(pairs(), {"method": "dpo", "preference": {"loss_type": "hinge"}})),
            ("bad_spec", "training.optimizer 'no-such'", 2, make_run(alpaca(), optimizer="no-such")),
            ("environment", "QLoRA needs bitsandbytes", 7, make_run(alpaca(), {"tuning": "qlora"})),
            ("bad_spec", "Target modules {'no'}", 2, make_run(alpaca(), {"lora": {"target_modules": ["no"]}})),
            ("nothing_to_learn", "alike in what is compared", 3, make_run(alike, {"method": "dpo"})),
            ("unsupported_architecture", "strange", 4, make_run(alpaca(), {"model": {"path": strange(good)}})),
            ("nonfinite_loss", "not a finite number", 8, make_run(alpaca(), {"model": {"path": numberless(good)}})),
        ]
        for code, says, status, folder in cases:
            with self.subTest(code=code, says=says):
                self.fails(code, says, folder, status)

    def test_what_llamafactory_cannot_learn_is_left_out_only_with_its_count(self) -> None:
        called = {"function": {"name": "add", "arguments": {}}}
        odd = [
            {
                "messages": [
                    {"role": "user", "content": "1?"},
                    {"role": "assistant", "content": None, "tool_calls": [called]},
                ]
            },
            {"messages": [{"role": role, "content": "Hi."} for role in ("user", "user", "assistant")]},
        ]
        rows = [{"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]}, *odd]
        folder = self.train(make_run(rows, {"data": {"bad_rows": "drop"}}, max_steps=1))
        data = only(folder, "dataset")
        self.assertEqual((data["records_raw"], data["records_valid"], data["train"]), (3, 1, 1))
        self.assertEqual(data["dropped"], {"tools": 1, "wrong_order": 1})
        self.fails("bad_dataset", "user and assistant by turns", make_run([rows[0], odd[1]]), 3)


class Interruptions(RunTestCase):
    def test_killed_and_resumed_it_gives_the_losses_of_a_run_that_was_not(self) -> None:
        options: dict[str, Any] = {"epochs": 10, "save_steps": 7}
        spec = {"lora": {"dropout": 0.2}}
        expected = losses(self.train(make_run(alpaca(), spec, **options)))
        self.assertEqual(len(expected), 60)
        folder = make_run(alpaca(), spec, **options)
        process = self.start(folder)
        self.wait_for(folder, lambda event: event["type"] == "metrics" and event["step"] >= 16)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        # One that was being written when it was killed counts for nothing.
        torn = folder / "checkpoints/checkpoint-59"
        torn.mkdir()
        (torn / "trainer_state.json").write_text("{}")
        self.train(folder)
        self.assertTrue(any("Goes on from checkpoint-" in event["message"] for event in events(folder, "log")))
        self.assertEqual(losses(folder), expected)

    def test_a_stop_saves_at_the_next_step_and_can_be_gone_on_from(self) -> None:
        for ask in (self.by_control, self.by_signal):
            folder = make_run(alpaca(), epochs=500)
            process = self.start(folder)
            self.wait_for(folder, lambda event: event["type"] == "metrics" and event["step"] >= 3)
            ask(folder, process.pid or 0)
            self.ends(process, folder)
            done = events(folder)[-1]
            self.assertEqual((done["type"], done["status"]), ("done", "cancelled"))
            checkpoint = events(folder, "checkpoint")[-1]
            self.assertEqual(
                (checkpoint["step"], checkpoint["reason"], checkpoint["complete"]), (done["step"], "cancel", True)
            )
            self.assertFalse((folder / "output").exists())

    def by_control(self, folder: Path, _pid: int) -> None:
        (folder / "control.ndjson").write_text('{"cmd":"stop","save":true}\n')

    def by_signal(self, _folder: Path, pid: int) -> None:
        os.kill(pid, signal.SIGTERM)

    def test_a_checkpoint_of_other_training_is_refused(self) -> None:
        folder = self.train(make_run(alpaca(), max_steps=2, save_steps=1))
        other = make_run(alpaca(), {"resume": str(folder / "checkpoints/checkpoint-1")}, max_steps=3, save_steps=1)
        self.train(other, 2)
        self.assertEqual(self.failure(other)["code"], "checkpoint_mismatch")


if __name__ == "__main__":
    unittest.main()
