"""Examples as rows of LLaMA-Factory, and what is refused of them."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from attune_llamafactory.rows import check_example, to_row, write_data
from attune_trainer.data.example import Example, Invalid
from attune_trainer.data.formats import readers


def example(kind: str, record: dict[str, Any]) -> Example:
    (found,) = readers[kind](record)
    return found


USER = {"role": "user", "content": "?"}
ANSWER = {"role": "assistant", "content": "!"}


class Rows(unittest.TestCase):
    def test_conversations(self) -> None:
        record = {"instruction": "a", "input": "b", "output": "c", "system": "s", "history": [["d", "e"]]}
        turns = [{"from": "human", "value": "d"}, {"from": "gpt", "value": "e"}, {"from": "human", "value": "a\nb"}]
        self.assertEqual(
            to_row(example("alpaca", record)),
            {"conversations": [*turns, {"from": "gpt", "value": "c"}], "system": "s"},
        )
        self.assertEqual(to_row(example("alpaca", {"instruction": "a", "output": "c"}))["system"], "")

    def test_preferences_and_feedback(self) -> None:
        self.assertEqual(
            to_row(example("dpo", {"instruction": "a", "chosen": "b", "rejected": "c", "system": "s"})),
            {
                "conversations": [{"from": "human", "value": "a"}],
                "system": "s",
                "chosen": {"from": "gpt", "value": "b"},
                "rejected": {"from": "gpt", "value": "c"},
            },
        )
        row = to_row(example("kto", {"prompt": "a", "completion": "b", "label": False}))
        self.assertEqual((row["conversations"][1], row["kto_tag"]), ({"from": "gpt", "value": "b"}, False))

    def test_what_would_be_lost_or_learned_in_another_form_is_refused(self) -> None:
        call = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
        cases: list[tuple[str, str, dict[str, Any]]] = [
            ("tools", "alpaca", {"instruction": "a", "output": "b", "tools": [{"name": "f"}]}),
            ("tools", "openai", {"messages": [USER, call, {"role": "tool", "content": "1"}, ANSWER]}),
            ("weight", "openai", {"messages": [USER, {**ANSWER, "weight": 0}, USER, ANSWER]}),
            ("wrong_order", "openai", {"messages": [USER, USER, ANSWER]}),
            ("wrong_order", "openai", {"messages": [ANSWER, USER, ANSWER]}),
            ("long_answer", "dpo", {"prompt": [USER], "chosen": [ANSWER, USER, ANSWER], "rejected": [ANSWER]}),
        ]
        for reason, form, record in cases:
            with self.assertRaises(Invalid) as caught:
                check_example(example(form, record))
            self.assertEqual(caught.exception.problem.reason, reason)
        check_example(example("openai", {"messages": [{"role": "system", "content": "s"}, USER, ANSWER]}))
        check_example(example("cpt", {"text": "a"}))

    def test_files_say_what_they_hold_whatever_the_texts_look_like(self) -> None:
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            dates = [example("alpaca", {"instruction": "2020-01-01", "output": "2020-01-02 03:04:05"})] * 3
            write_data(folder, "sft", {"train": dates, "eval": dates[:1]}, 0)
            information = json.loads((folder / "dataset_info.json").read_text("utf-8"))
            self.assertEqual(sorted(information), ["eval", "train"])
            self.assertEqual(information["train"]["columns"], {"messages": "conversations", "system": "system"})
            rows = pyarrow.parquet.read_table(folder / "train.parquet").to_pylist()
            self.assertEqual(rows, [to_row(one) for one in dates])

    def test_feedback_is_mixed_by_the_seed(self) -> None:
        import pyarrow.parquet

        some = [example("kto", {"prompt": str(n), "completion": "b", "label": n % 2 == 0}) for n in range(50)]

        def order(method: str, seed: int) -> list[str]:
            with tempfile.TemporaryDirectory() as name:
                write_data(Path(name), method, {"train": some}, seed)
                rows = pyarrow.parquet.read_table(Path(name) / "train.parquet").to_pylist()
                return [row["conversations"][0]["value"] for row in rows]

        self.assertEqual(order("kto", 1), order("kto", 1))
        self.assertNotEqual(order("kto", 1), order("kto", 2))
        self.assertEqual(sorted(order("kto", 1), key=int), [str(n) for n in range(50)])


if __name__ == "__main__":
    unittest.main()
