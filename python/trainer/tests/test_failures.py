"""How whole runs fail, and which checkpoints they go on from."""

from __future__ import annotations

import json
import shutil
import struct
import unittest
from pathlib import Path
from typing import Any

from . import run_kit
from .run_kit import alpaca, events, losses, make_run, only, pairs, run_here


class Failing(unittest.TestCase):
    def fails(self, code: str, exit_code: int, rows: Any, spec: dict[str, Any] | None = None, **training: Any) -> str:
        folder = make_run(rows, spec, **{"max_steps": 4, **training})
        self.assertEqual(run_here(folder), exit_code, (folder / "events.ndjson").read_text()[-2000:])
        error = only(folder, "error")
        self.assertEqual(error["code"], code, error)
        self.assertEqual(only(folder, "done")["status"], "failed")
        self.assertFalse((folder / "output").exists())
        return error["message"]

    def test_a_wrong_specification(self) -> None:
        rows = alpaca()[:8]
        self.assertIn("training.scheduler", self.fails("bad_spec", 2, rows, scheduler="square"))
        self.assertIn("optimizer", self.fails("bad_spec", 2, rows, optimizer="magic"))
        self.assertIn("lm_head", self.fails("bad_spec", 2, rows, {"lora": {"target_modules": ["lm_head"]}}))
        self.assertIn("nowhere", self.fails("bad_spec", 2, rows, {"lora": {"target_modules": ["nowhere"]}}))
        self.assertIn("packing", self.fails("bad_spec", 2, rows, packing=True))
        self.assertIn("early_stopping", self.fails("bad_spec", 2, rows, early_stopping_patience=1))
        self.assertIn("batch_size", self.fails("bad_spec", 2, pairs(), {"method": "kto"}, batch_size=1))
        self.assertIn("fp16", self.fails("bad_spec", 2, rows, precision="fp16"))

    def test_an_unknown_loss_of_dpo(self) -> None:
        self.fails("bad_spec", 2, pairs(), {"method": "dpo", "preference": {"loss_type": "sigmond"}})

    def test_qlora_without_bitsandbytes(self) -> None:
        message = self.fails("environment", 7, alpaca()[:8], {"tuning": "qlora"})
        self.assertIn("bitsandbytes", message)

    def test_nothing_to_learn(self) -> None:
        rows = [{"instruction": "very " * 100, "output": "Yes."} for _ in range(4)]
        self.fails("nothing_to_learn", 3, rows, max_length=64)
        same = [{"prompt": "q", "chosen": "a", "rejected": "a"} for _ in range(4)]
        self.fails("nothing_to_learn", 3, same, {"method": "dpo"})

    def test_bad_data(self) -> None:
        self.fails("bad_dataset", 3, '{"instruction": "q"')
        self.fails("file_not_found", 3, alpaca(), {"data": {"files": ["/nowhere.json"]}})
        one_label = [{"prompt": "q", "completion": "a", "label": True}]
        self.assertIn("both labels", self.fails("bad_dataset", 3, one_label, {"method": "kto"}))

    def test_a_missing_chat_template(self) -> None:
        model = {"path": run_kit.tiny_model(has_template=False)}
        self.fails("chat_template_missing", 4, alpaca(), {"model": model})
        template = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}"
        folder = make_run(alpaca(), {"model": {**model, "chat_template": template}}, max_steps=2)
        self.assertEqual(run_here(folder), 0)
        self.assertEqual((folder / "output/chat_template.jinja").read_text(), template)

    def test_a_template_that_refuses_the_data(self) -> None:
        template = "{{ raise_exception('Only one question, please.') }}"
        model = {"path": run_kit.tiny_model(), "chat_template": template}
        self.assertIn("Only one question", self.fails("bad_dataset", 3, alpaca(), {"model": model}))

    def copy(self, name: str) -> Path:
        target = run_kit.scratch() / name
        shutil.copytree(run_kit.tiny_model(), target, dirs_exist_ok=True)
        return target

    def test_damaged_models(self) -> None:
        cut = self.copy("cut")
        weights = cut / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1000])
        self.fails("model_corrupt", 4, alpaca(), {"model": {"path": str(cut)}})
        weights.write_bytes(struct.pack("<Q", 2**40) + b"{}")
        self.fails("model_corrupt", 4, alpaca(), {"model": {"path": str(cut)}})
        self.fails("file_not_found", 4, alpaca(), {"model": {"path": "/nowhere"}})

    def test_an_unknown_architecture(self) -> None:
        strange = self.copy("strange")
        config = json.loads((strange / "config.json").read_text())
        (strange / "config.json").write_text(json.dumps({**config, "model_type": "strange"}))
        self.fails("unsupported_architecture", 4, alpaca(), {"model": {"path": str(strange)}})

    def test_an_adapter_of_another_model(self) -> None:
        trained = make_run(alpaca(), max_steps=1)
        self.assertEqual(run_here(trained), 0)
        from attune_trainer.testing.tiny_model import write_tiny_model

        other = write_tiny_model(run_kit.scratch() / "wider", hidden=48)
        spec = {"model": {"path": str(other)}, "adapter_path": str(trained / "output")}
        self.fails("adapter_mismatch", 4, alpaca(), spec)

    def test_a_loss_that_is_no_number(self) -> None:
        folder = make_run(
            alpaca(), {"tuning": "full"}, max_steps=20, learning_rate=10, max_grad_norm=1e30, save_steps=1
        )
        weights = self.copy("broken")
        self.break_weights(weights)
        spec = json.loads((folder / "spec.json").read_text())
        spec["model"]["path"] = str(weights)
        (folder / "spec.json").write_text(json.dumps(spec))
        self.assertEqual(run_here(folder), 8)
        self.assertEqual(only(folder, "error")["code"], "nonfinite_loss")
        metrics = events(folder, "metrics")
        self.assertEqual(len(metrics), 3)
        self.assertIsNone(metrics[0]["metrics"]["loss"])
        self.assertIn("loss", metrics[0]["nonfinite"])
        # Weights that are no numbers are never kept as a checkpoint.
        self.assertEqual(events(folder, "checkpoint"), [])

    def break_weights(self, folder: Path) -> None:
        from safetensors.torch import load_file, save_file

        tensors = load_file(folder / "model.safetensors")
        tensors["model.norm.weight"][0] = float("nan")
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


class Checkpoints(unittest.TestCase):
    def test_of_another_run_and_torn_ones(self) -> None:
        folder = make_run(alpaca(), max_steps=6, save_steps=2, keep_checkpoints=3)
        self.assertEqual(run_here(folder), 0)
        whole = losses(folder)
        # What a kill while checkpoint 6 was written leaves behind.
        newest = folder / "checkpoints/checkpoint-6"
        (newest / "checkpoint-is-incomplete.txt").write_text("")
        (folder / "events.ndjson").unlink()
        self.assertEqual(run_here(folder), 0)
        self.assertEqual(losses(folder), whole[4:])
        self.assertFalse((newest / "checkpoint-is-incomplete.txt").exists())
        self.change(folder, lambda spec: spec["training"].update(weight_decay=0.1))
        self.assert_refused(folder, "checkpoint_mismatch", "another specification")

    def test_of_other_data(self) -> None:
        folder = make_run(alpaca(), max_steps=2)
        self.assertEqual(run_here(folder), 0)
        (folder / "data.jsonl").write_text(json.dumps(alpaca()[0]) + "\n")
        self.assert_refused(folder, "checkpoint_mismatch", "other data")
        self.change(folder, lambda spec: spec.update(resume="never"))
        (folder / "events.ndjson").unlink()
        self.assertEqual(run_here(folder), 0)

    def test_one_that_was_named(self) -> None:
        folder = make_run(alpaca(), max_steps=4, save_steps=2, keep_checkpoints=9)
        self.assertEqual(run_here(folder), 0)
        whole = losses(folder)
        self.change(folder, lambda spec: spec.update(resume=str(folder / "checkpoints/checkpoint-2")))
        (folder / "events.ndjson").unlink()
        self.assertEqual(run_here(folder), 0)
        self.assertEqual(losses(folder), whole[2:])
        (folder / "checkpoints/checkpoint-2/optimizer.pt").unlink()
        self.assert_refused(folder, "file_not_found", "optimizer.pt")

    def change(self, folder: Path, edit: Any) -> None:
        spec = json.loads((folder / "spec.json").read_text())
        edit(spec)
        (folder / "spec.json").write_text(json.dumps(spec))

    def assert_refused(self, folder: Path, code: str, words: str) -> None:
        (folder / "events.ndjson").unlink()
        self.assertNotEqual(run_here(folder), 0)
        error = only(folder, "error")
        self.assertEqual(error["code"], code)
        self.assertIn(words, error["message"])


if __name__ == "__main__":
    unittest.main()
