"""Whole runs on tiny models: that they learn, what they leave behind, and what they count."""

from __future__ import annotations

import hashlib
import shutil
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

    def test_tools_keep_their_shape(self) -> None:
        call = '{"name": "weather", "arguments": {"city": "Rome"}}'
        turns = [
            {"from": "human", "value": "Is it warm in Rome?"},
            {"from": "function_call", "value": call},
            {"from": "observation", "value": "31 degrees"},
            {"from": "gpt", "value": "Yes, 31 degrees."},
        ]
        plain = [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."}]
        rows = [{"conversations": turns, "tools": '[{"name": "weather"}]'}, {"conversations": plain}]
        folder = make_run(rows, max_steps=1)
        self.assertEqual(run_here(folder), 0, (folder / "events.ndjson").read_text()[-2000:])
        self.assertEqual(only(folder, "dataset")["loss_on"], "marked")

    def test_messages_get_no_fields_that_others_have(self) -> None:
        from attune_trainer.data.to_trl import to_dataset

        call = {"type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
        rows = [
            {
                "messages": [
                    {"role": "user", "content": "q"},
                    {"role": "assistant", "content": "", "tool_calls": [call]},
                ]
            },
            {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]},
        ]
        self.assertEqual(list(to_dataset(rows)), rows)

    def test_without_marks_every_answer_becomes_an_example(self) -> None:
        template = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}"
        model = {"path": run_kit.tiny_model(), "chat_template": template}
        row = {**alpaca()[0], "history": [["Hi.", "Hello."], ["How are you?", "Fine."]]}
        folder = make_run([row], {"model": model}, max_steps=1)
        self.assertEqual(run_here(folder), 0)
        data = only(folder, "dataset")
        self.assertEqual((data["loss_on"], data["records_valid"], data["train"]), ("each", 1, 3))

    def test_dropped_records_are_counted_and_told(self) -> None:
        folder = make_run([*alpaca()[:8], {"instruction": "q"}], {"data": {"bad_rows": "drop"}}, max_steps=1)
        self.assertEqual(run_here(folder), 0)
        data = only(folder, "dataset")
        self.assertEqual((data["dropped"], data["records_valid"]), ({"missing_field": 1}, 8))
        self.assertTrue(any("line 9" in event["message"] for event in events(folder, "log")))


if __name__ == "__main__":
    unittest.main()
