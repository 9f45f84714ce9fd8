"""Whole runs on tiny models: that they learn, what they leave behind, and how they fail."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import unittest
from pathlib import Path
from typing import Any

from . import run_kit
from .run_kit import alpaca, events, losses, make_run, only, pairs, run_here, texts


def first_and_last(folder: Path, count: int = 5) -> tuple[float, float]:
    values = losses(folder)
    return sum(values[:count]) / count, sum(values[-count:]) / count


class Learning(unittest.TestCase):
    def learn(self, rows: Any, spec: dict[str, Any] | None = None, **training: Any) -> Path:
        folder = make_run(rows, spec, **{"max_steps": 40, **training})
        self.assertEqual(run_here(folder), 0, (folder / "events.ndjson").read_text()[-3000:])
        self.assertEqual(only(folder, "done")["status"], "succeeded")
        return folder

    def test_sft_with_lora_learns_and_leaves_an_adapter(self) -> None:
        folder = self.learn(alpaca(), {"data": {"eval_fraction": 0.2}}, eval_steps=10, save_steps=10)
        before, after = first_and_last(folder)
        # The output layer of the tiny model is random and stays as it is.
        self.assertLess(after, before - 0.2)
        self.check_order(folder)
        self.check_artifacts(folder, {"adapter_model.safetensors", "adapter_config.json", "chat_template.jinja"})
        evaluated = [event["metrics"]["loss"] for event in events(folder, "metrics") if event["split"] == "eval"]
        self.assertEqual(only(folder, "done")["best_metric"], min(evaluated))
        steps = [event["step"] for event in events(folder, "checkpoint")]
        self.assertEqual(steps, [10, 20, 30, 40])
        kept = {path.name for path in (folder / "checkpoints").glob("checkpoint-*")}
        self.assertLessEqual({"checkpoint-30", "checkpoint-40"}, kept)
        self.check_adapter(folder)

    def check_order(self, folder: Path) -> None:
        all_events = events(folder)
        self.assertEqual([event["seq"] for event in all_events], list(range(1, len(all_events) + 1)))
        self.assertEqual((all_events[0]["type"], all_events[-1]["type"]), ("hello", "done"))
        steps = [event["step"] for event in events(folder, "metrics") if event["split"] == "train"]
        self.assertEqual(steps, list(range(1, 41)))
        data = only(folder, "dataset")
        self.assertEqual((data["records_raw"], data["records_valid"]), (40, 40))
        self.assertEqual(data["train"] + data["eval"], 40)

    def check_artifacts(self, folder: Path, wanted: set[str]) -> None:
        told = {event["path"]: event for event in events(folder, "artifact")}
        there = {path.relative_to(folder).as_posix() for path in (folder / "output").rglob("*") if path.is_file()}
        self.assertEqual(set(told), there)
        self.assertLessEqual(wanted, {Path(path).name for path in told})
        self.assertFalse({"optimizer.pt", "training_args.bin", "README.md"} & {Path(path).name for path in told})
        for path, event in told.items():
            content = (folder / path).read_bytes()
            self.assertEqual(event["size_bytes"], len(content))
            self.assertEqual(event["checksum_sha256"], hashlib.sha256(content).hexdigest())

    def check_adapter(self, folder: Path) -> None:
        from peft import PeftModel
        from transformers import AutoModelForCausalLM, AutoTokenizer

        base = AutoModelForCausalLM.from_pretrained(run_kit.tiny_model())
        tokenizer = AutoTokenizer.from_pretrained(folder / "output")
        talk = [{"role": "user", "content": "Capital of Italy?"}, {"role": "assistant", "content": "It is Rome."}]
        ids = tokenizer.apply_chat_template(talk, return_tensors="pt", return_dict=True)
        untaught = base(**ids, labels=ids["input_ids"]).loss.item()
        taught = PeftModel.from_pretrained(base, folder / "output")(**ids, labels=ids["input_ids"]).loss.item()
        self.assertLess(taught, untaught)

    def test_sft_of_the_whole_model(self) -> None:
        for architecture in ("qwen2", "qwen3"):
            with self.subTest(architecture=architecture):
                model = {"path": run_kit.tiny_model(architecture)}
                folder = self.learn(alpaca(), {"tuning": "full", "model": model}, learning_rate=0.003)
                before, after = first_and_last(folder)
                self.assertLess(after, before * 0.7)
                self.check_artifacts(folder, {"model.safetensors", "config.json", "tokenizer.json"})

    def test_dpo_prefers_what_was_chosen(self) -> None:
        folder = self.learn(pairs(), {"method": "dpo"}, learning_rate=0.003)
        before, after = first_and_last(folder)
        self.assertLess(after, before * 0.5)
        last = events(folder, "metrics")[-1]["metrics"]
        self.assertGreater(last["rewards/accuracies"], 0.9)

    def test_dpo_goes_on_with_an_adapter(self) -> None:
        trained = self.learn(alpaca(), max_steps=10)
        adapter = str(trained / "output")
        folder = self.learn(pairs(), {"method": "dpo", "adapter_path": adapter}, max_steps=6, save_steps=3)
        self.check_artifacts(folder, {"adapter_model.safetensors"})
        self.assertFalse((folder / "output/ref").exists())
        # The reference is the adapter that was given, so that nothing is preferred yet.
        self.assertAlmostEqual(losses(folder)[0], 0.6931, places=3)
        # And it is still that one after a resume.
        shutil.rmtree(folder / "checkpoints/checkpoint-6")
        whole = losses(folder)
        (folder / "events.ndjson").unlink()
        self.assertEqual(run_here(folder), 0)
        self.assertEqual(losses(folder), whole[3:])

    def test_kto_and_plain_text(self) -> None:
        folder = self.learn(pairs(), {"method": "kto"}, learning_rate=0.003)
        before, after = first_and_last(folder)
        self.assertLess(after, before * 0.9)
        folder = self.learn(texts(), {"method": "cpt", "tuning": "full"}, packing=True)
        before, after = first_and_last(folder)
        self.assertLess(after, before * 0.7)
        self.assertGreater(only(folder, "dataset")["packed_sequences"], 0)

    def test_early_stopping_keeps_the_best(self) -> None:
        spec = {"data": {"eval_fraction": 0.2}}
        folder = self.learn(
            alpaca(), spec, max_steps=200, eval_steps=2, early_stopping_patience=2, early_stopping_threshold=0.4
        )
        done = only(folder, "done")
        self.assertLess(done["step"], 200)
        evaluated = [event["metrics"]["loss"] for event in events(folder, "metrics") if event["split"] == "eval"]
        self.assertEqual(done["best_metric"], min(evaluated))

    def test_schedulers(self) -> None:
        for name in ("cosine_with_restarts", "polynomial", "warmup_stable_decay", "inverse_sqrt"):
            with self.subTest(scheduler=name):
                folder = self.learn(alpaca()[:8], scheduler=name, warmup=0.2, max_steps=10)
                rates = [event["metrics"]["learning_rate"] for event in events(folder, "metrics")]
                self.assertLess(rates[0], 0.01 / 2)
                self.assertAlmostEqual(max(rates), 0.01, places=6)

    def test_the_end_again_after_it_was_reached(self) -> None:
        folder = self.learn(alpaca()[:8], max_steps=3)
        before = (folder / "output/adapter_model.safetensors").read_bytes()
        shutil.rmtree(folder / "output")
        (folder / "events.ndjson").unlink()
        self.assertEqual(run_here(folder), 0)
        self.assertEqual((folder / "output/adapter_model.safetensors").read_bytes(), before)


class Counting(unittest.TestCase):
    def test_what_is_cut_off_and_what_is_masked_is_counted(self) -> None:
        long_question = {"instruction": "very " * 100 + "long?", "output": "Yes."}
        long_answer = {"instruction": "Short?", "output": "no " * 100}
        folder = make_run([*alpaca()[:8], long_question, long_answer], max_steps=1, max_length=64)
        self.assertEqual(run_here(folder), 0)
        data = only(folder, "dataset")
        self.assertEqual((data["truncated"], data["fully_masked"], data["train"]), (2, 1, 9))

    def test_preferences_that_the_bound_makes_alike_are_counted(self) -> None:
        prompt_too_long = {"prompt": "very " * 100, "chosen": "a", "rejected": "b"}
        alike = {"prompt": "q", "chosen": "no " * 100 + "a", "rejected": "no " * 100 + "b"}
        folder = make_run([*pairs()[:8], prompt_too_long, alike], {"method": "dpo"}, max_steps=1, max_length=64)
        self.assertEqual(run_here(folder), 0)
        data = only(folder, "dataset")
        self.assertEqual((data["truncated"], data["fully_masked"], data["train"]), (2, 2, 9))

    def test_tokens_of_the_template_in_the_text_are_told(self) -> None:
        forged = {"instruction": "Say <|im_end|>", "output": "No."}
        folder = make_run([*alpaca()[:8], forged], max_steps=1)
        self.assertEqual(run_here(folder), 0)
        self.assertEqual(only(folder, "dataset")["noticed"], {"special_token_in_text": 1})
        self.assertTrue(any("example 9" in event["message"] for event in events(folder, "log")))

    def test_dropped_records_are_counted_and_told(self) -> None:
        folder = make_run([*alpaca()[:8], {"instruction": "q"}], {"data": {"bad_rows": "drop"}}, max_steps=1)
        self.assertEqual(run_here(folder), 0)
        data = only(folder, "dataset")
        self.assertEqual((data["dropped"], data["records_valid"]), ({"missing_field": 1}, 8))
        self.assertTrue(any("line 9" in event["message"] for event in events(folder, "log")))


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
