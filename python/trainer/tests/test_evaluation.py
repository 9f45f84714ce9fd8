"""Answers to every record of a data set: counted, told, and gone on with after a kill."""

import json
import shutil
import signal
import time
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from attune_trainer.evaluating.evaluation import evaluate
from attune_trainer.evaluating.questions import read_questions
from attune_trainer.evaluating.run_worker import run
from attune_trainer.protocol import RunError
from attune_trainer.stop import LOOK_EVERY_S

from . import run_kit

CAPITAL = "What is the capital of France?"
LONG = "word " * 3000


def eval_run(rows: Any, **spec: Any) -> Path:
    folder = run_kit.make_run(rows, name="eval")
    data = {"files": [str(folder / "data.jsonl")], **spec.pop("data", {})}
    full = {
        "kind": "eval",
        "model": {"path": run_kit.tiny_model()},
        "data": data,
        "generation": {"max_new_tokens": 8},
        "batch_size": 2,
        **spec,
    }
    (folder / "spec.json").write_text(json.dumps(full))
    return folder


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "output/predictions.jsonl").read_text("utf-8").splitlines()]


def alpaca(*questions: str) -> list[dict[str, str]]:
    return [{"instruction": question, "output": f"Answer {index}."} for index, question in enumerate(questions)]


class Questions(unittest.TestCase):
    def questions(self, rows: Any, **data: Any) -> Any:
        folder = run_kit.make_run(rows, name="questions")
        return read_questions(
            {
                "files": [str(folder / "data.jsonl")],
                "format": "auto",
                "eval_files": [],
                "eval_fraction": 0,
                "bad_rows": "fail",
                **data,
            }
        )

    def test_the_last_answer_of_every_format_is_the_reference(self) -> None:
        human, gpt = {"from": "human", "value": "Q"}, {"from": "gpt", "value": "A"}
        user, answer = {"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}
        records = [
            {"instruction": "Q", "output": "A"},
            {"conversations": [human, gpt]},
            {"messages": [user, answer]},
            {"prompt": "Q", "completion": "A"},
            {"prompt": "Q", "chosen": "A", "rejected": "B"},
            {"conversations": [human], "chosen": gpt, "rejected": {"from": "gpt", "value": "B"}},
            {"prompt": "Q", "completion": "A", "label": True},
            {"instruction": "Q", "output": "A", "kto_tag": True},
        ]
        for record in records:
            with self.subTest(record=record):
                (question,) = self.questions([record]).questions
                self.assertEqual((question.messages, question.reference), ([user], "A"))

    def test_what_comes_before_it_is_the_prompt(self) -> None:
        record = {"system": "S", "history": [["Q1", "A1"]], "instruction": "Q2", "input": "more", "output": "A2"}
        (question,) = self.questions([record]).questions
        self.assertEqual([message["role"] for message in question.messages], ["system", "user", "assistant", "user"])
        self.assertEqual((question.messages[-1]["content"], question.reference), ("Q2\nmore", "A2"))

    def test_an_answer_marked_as_unwanted_is_left_out_and_counted(self) -> None:
        rows = [{"prompt": "Q", "completion": text, "label": text == "A"} for text in ("A", "B")]
        found = self.questions(rows)
        self.assertEqual((len(found.questions), dict(found.findings.dropped)), (1, {"unwanted_answer": 1}))

    def test_a_field_system_comes_before_the_prompt_and_unused_fields_are_told(self) -> None:
        found = self.questions([{"system": "S", "prompt": "Q", "completion": "A", "topic": "T"}])
        self.assertEqual([message["role"] for message in found.questions[0].messages], ["system", "user"])
        self.assertEqual(dict(found.findings.noticed), {"unused_field": 1})

    def test_bad_records_end_the_run_or_are_counted(self) -> None:
        rows = [*alpaca("Q"), {"instruction": "Q", "output": " "}, {"instruction": 5, "output": "A"}]
        with self.assertRaises(RunError) as caught:
            self.questions(rows)
        self.assertEqual(caught.exception.code, "bad_dataset")
        found = self.questions(rows, bad_rows="drop")
        self.assertEqual((len(found.questions), sum(found.findings.dropped.values())), (1, 2))

    def test_says_what_it_cannot_use(self) -> None:
        for rows, data, code in (
            ([{"text": "plain"}], {}, "bad_dataset"),
            ("", {}, "bad_dataset"),
            ([{"foo": 1}], {"bad_rows": "drop"}, "bad_dataset"),
            (alpaca("Q"), {"eval_fraction": 0.1}, "bad_spec"),
            (alpaca("Q"), {"eval_files": ["/x"]}, "bad_spec"),
            (alpaca("Q"), {"files": ["/nowhere.jsonl"]}, "file_not_found"),
        ):
            with self.subTest(rows=rows, data=data), self.assertRaises(RunError) as caught:
                self.questions(rows, **data)
            self.assertEqual(caught.exception.code, code)


class Evaluation(unittest.TestCase):
    def test_answers_every_record_in_its_order_and_tells_those_it_cannot(self) -> None:
        folder = eval_run(alpaca("Short?", LONG, CAPITAL, "What is a river, and why is it there?", "模型？"))
        self.assertEqual(run(folder, evaluate), 0)
        made = lines(folder)
        self.assertEqual([one["index"] for one in made], [0, 1, 2, 3, 4])
        self.assertEqual([one["reference"] for one in made], [f"Answer {index}." for index in range(5)])
        self.assertEqual([one["prediction"] is None for one in made], [False, True, False, False, False])
        self.assertEqual(made[1]["error"]["code"], "context_length_exceeded")
        warnings = [event["message"] for event in run_kit.events(folder, "log") if event["level"] == "warning"]
        self.assertTrue(
            any(warning.startswith("1 of 5 records have no answer; data.jsonl, line 2") for warning in warnings)
        )
        record = json.loads((folder / "output/evaluation.json").read_text())
        self.assertEqual((record["complete"], record["dataset"]["records"], record["seed"]), (True, 5, None))
        kinds = Counter(event["type"] for event in run_kit.events(folder))
        self.assertEqual((kinds["hello"], kinds["dataset"], kinds["artifact"], kinds["done"]), (1, 1, 2, 1))
        self.assertEqual(run_kit.only(folder, "done")["status"], "succeeded")

    def test_a_batch_answers_as_one_after_the_other_does(self) -> None:
        rows = alpaca("Short?", CAPITAL, "What is a river, and why is it there?", "模型？")
        runs = [eval_run(rows, batch_size=size, generation={"repetition_penalty": 1.3}) for size in (1, 4)]
        for folder in runs:
            self.assertEqual(run(folder, evaluate), 0)
        alone, together = map(lines, runs)
        self.assertEqual(together, alone)

    def test_near_the_end_of_the_context_an_answer_has_the_room_that_is_left(self) -> None:
        folder = eval_run(alpaca("a " * 1800, "Short?"), generation={"max_new_tokens": 300})
        self.assertEqual(run(folder, evaluate), 0)
        first = lines(folder)[0]
        self.assertLessEqual(first["prompt_tokens"] + first["completion_tokens"], 2048)
        self.assertGreater(first["prompt_tokens"], 1748)

    def test_goes_on_after_a_kill_at_any_byte_with_the_same_result(self) -> None:
        sampled = {"max_new_tokens": 6, "temperature": 1.0, "seed": 7}
        whole = eval_run(alpaca("One?", "Two, please?", LONG, "Three?", CAPITAL), generation=sampled)
        self.assertEqual(run(whole, evaluate), 0)
        expected = (whole / "output/predictions.jsonl").read_bytes()
        in_order = {line["index"]: raw for line, raw in zip(lines(whole), expected.splitlines(True), strict=True)}
        # The order in which they were made: alone what is too long, then the longest first.
        tokens = {line["index"]: line["prompt_tokens"] for line in lines(whole)}
        tight = [index for index in tokens if tokens[index] == 0]
        made = b"".join(in_order[index] for index in sorted(tokens, key=lambda index: (-tokens[index], index)))
        self.assertEqual(tight, [2])
        for cut in (0, 1, made.find(b"\n") + 1, len(made) // 2, len(made) - 1, len(made)):
            again = Path(shutil.copytree(whole, whole.with_name(f"{whole.name}-{cut}")))
            record = json.loads((again / "output/evaluation.json").read_text())
            (again / "output/evaluation.json").write_text(json.dumps({**record, "complete": False}))
            (again / "output/predictions.jsonl").write_bytes(made[:cut])
            with self.subTest(cut=cut):
                self.assertEqual(run(again, evaluate), 0)
                self.assertEqual((again / "output/predictions.jsonl").read_bytes(), expected)

    def test_goes_on_after_it_was_stopped_by_the_control_file(self) -> None:
        folder = eval_run(alpaca("One?"))
        (folder / "control.ndjson").write_text('{"cmd":"stop","save":true}\n')

        def work(folder: Path, reporter: Any) -> None:
            # Longer than between two looks into the control file.
            time.sleep(4 * LOOK_EVERY_S)
            evaluate(folder, reporter)

        before = signal.getsignal(signal.SIGTERM)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        for status in ("cancelled", "succeeded"):
            self.assertEqual(run(folder, work), 0)
            self.assertEqual(run_kit.events(folder, "done")[-1]["status"], status)
        self.assertEqual(len(lines(folder)), 1)

    def test_a_finished_one_is_not_made_again_and_other_data_are_refused(self) -> None:
        folder = eval_run(alpaca("One?"))
        self.assertEqual(run(folder, evaluate), 0)
        before = (folder / "output/evaluation.json").read_bytes()
        self.assertEqual(run(folder, evaluate), 0)
        self.assertEqual((folder / "output/evaluation.json").read_bytes(), before)
        (folder / "data.jsonl").write_text(json.dumps(alpaca("Two?")[0]) + "\n")
        self.assertNotEqual(run(folder, evaluate), 0)
        self.assertEqual(run_kit.events(folder, "error")[-1]["code"], "checkpoint_mismatch")

    def test_says_at_once_what_it_cannot_do(self) -> None:
        for spec, code in (
            ({"metrics": ["charm"]}, "bad_spec"),
            ({"kind": "train"}, "bad_spec"),
            ({"model": {"path": "/nowhere"}}, "file_not_found"),
            ({"model": {"path": run_kit.tiny_model(has_template=False)}}, "chat_template_missing"),
        ):
            folder = eval_run(alpaca("One?"), **spec)
            with self.subTest(spec=spec):
                self.assertNotEqual(run(folder, evaluate), 0)
                self.assertEqual(run_kit.only(folder, "error")["code"], code)
                self.assertEqual(run_kit.only(folder, "done")["status"], "failed")


if __name__ == "__main__":
    unittest.main()
