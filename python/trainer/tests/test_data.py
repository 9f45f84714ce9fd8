"""Every format, every way in which a record can be wrong, and how examples are held back."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from attune_trainer.data.to_trl import choose_sft_form, to_rows
from attune_trainer.protocol import RunError

from .data_kit import DataTestCase, answer, first, load, user

FORM = {"assistant_only_loss": False}


class Formats(DataTestCase):
    def test_alpaca(self) -> None:
        record = {"instruction": "Add", "input": "1 2", "output": "3", "system": "Be brief.", "history": [["a", "b"]]}
        expected = [{"role": "system", "content": "Be brief."}, user("a"), answer("b"), user("Add\n1 2"), answer("3")]
        self.assertEqual(first(record)["messages"], expected)
        self.assertEqual(first({"instruction": "q", "input": "", "output": "a"})["messages"], [user("q"), answer("a")])

    def test_wrong_alpaca(self) -> None:
        cases = [
            ({"instruction": "q"}, "missing_field"),
            ({"instruction": "q", "output": " "}, "blank"),
            ({"instruction": "q", "output": 3}, "wrong_type"),
            ({"instruction": "q", "output": None}, "missing_field"),
            ({"instruction": "q", "output": "a", "history": [["one"]]}, "bad_history"),
            ({"instruction": "q", "output": "\ud800"}, "lone_surrogate"),
            ({"instruction": "q", "output": "a", "tools": "{"}, "bad_tools"),
            (["q", "a"], "not_an_object"),
            ({"data": [{"instruction": "q", "output": "a"}]}, "wrapped_in_data"),
        ]
        for record, reason in cases:
            with self.subTest(record=record):
                self.assertEqual(self.reason(record), reason)

    def test_sharegpt(self) -> None:
        turns = [{"from": "system", "value": "s"}, {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
        expected = [{"role": "system", "content": "s"}, user("q"), answer("a")]
        self.assertEqual(first({"conversations": turns})["messages"], expected)

    def test_sharegpt_with_a_tool(self) -> None:
        turns = [
            {"from": "human", "value": "q"},
            {"from": "function_call", "value": '{"name": "f", "arguments": {"x": 1}}'},
            {"from": "observation", "value": "4"},
            {"from": "gpt", "value": "It is 4."},
        ]
        example = load([{"conversations": turns, "tools": '[{"name": "f"}]'}]).train[0]
        self.assertEqual(example.tools, [{"name": "f"}])
        call = {"type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
        self.assertEqual(example.fields["messages"][1], {"role": "assistant", "content": "", "tool_calls": [call]})
        self.assertEqual(example.fields["messages"][2], {"role": "tool", "content": "4"})

    def test_wrong_sharegpt(self) -> None:
        human, gpt = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
        good = {"conversations": [human, gpt]}
        cases = [
            ([human], "odd_turns"),
            ([gpt, human], "wrong_order"),
            ([human, human], "wrong_order"),
            ([human, gpt, {"from": "system", "value": "s"}, gpt], "system_in_the_middle"),
            ([human, {"from": "robot", "value": "a"}], "unknown_role"),
            ([human, {"from": "function_call", "value": "f()"}], "bad_function_call"),
            ([human, {"value": "a"}], "bad_turn"),
            ([], "missing_field"),
        ]
        for turns, reason in cases:
            with self.subTest(turns=turns):
                self.assertEqual(self.reason({"conversations": turns}, good=good), reason)

    def test_openai(self) -> None:
        call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
        messages = [
            {"role": "developer", "content": "s"},
            user("q"),
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "4"},
            answer("a"),
        ]
        found = first({"messages": messages})["messages"]
        self.assertEqual(found[0]["role"], "system")
        self.assertEqual(found[2]["tool_calls"][0]["function"]["arguments"], {"x": 1})
        self.assertEqual(first({"prompt": "q", "completion": "a"})["messages"], [user("q"), answer("a")])

    def test_wrong_openai(self) -> None:
        good = {"messages": [user("q"), answer("a")]}
        cases = [
            ([user("q")], "no_answer"),
            ([answer("a"), user("q")], "no_answer"),
            ([user("q"), {"role": "robot", "content": "a"}], "unknown_role"),
            ([user("q"), {"role": "tool", "content": "4"}, answer("a")], "tool_without_call"),
            ([user("q"), {"role": "assistant", "content": [{"type": "text", "text": "a"}]}], "content_parts"),
            ([user("q"), {"role": "assistant", "content": None}], "blank"),
            ([user("q"), {**answer("a"), "weight": 0}], "no_answer"),
            ("q", "missing_field"),
        ]
        for messages, reason in cases:
            with self.subTest(messages=messages):
                self.assertEqual(self.reason({"messages": messages}, good=good), reason)

    def test_preferences_in_every_form(self) -> None:
        expected = {"prompt": [user("q")], "chosen": [answer("good")], "rejected": [answer("bad")]}
        gpt = {"chosen": {"from": "gpt", "value": "good"}, "rejected": {"from": "gpt", "value": "bad"}}
        whole = {"chosen": [user("q"), answer("good")], "rejected": [user("q"), answer("bad")]}
        for record in (
            {"prompt": "q", "chosen": "good", "rejected": "bad"},
            expected,
            whole,
            {"instruction": "q", "chosen": "good", "rejected": "bad"},
            {"conversations": [{"from": "human", "value": "q"}], **gpt},
        ):
            with self.subTest(record=record):
                self.assertEqual(first(record, "dpo"), expected)

    def test_wrong_preferences(self) -> None:
        good = {"prompt": "q", "chosen": "a", "rejected": "b"}
        human = {"from": "human", "value": "q"}
        cases = [
            ({"prompt": "q", "chosen": "a"}, "missing_field"),
            ({"prompt": "q", "chosen": "a", "rejected": [answer("b")]}, "mixed_types"),
            ({"instruction": "q", "chosen": ["a"], "rejected": "b"}, "wrong_type"),
            ({"chosen": [user("q"), answer("a")], "rejected": [user("r"), answer("b")]}, "no_common_prompt"),
            ({"conversations": [human], "chosen": {"from": "human", "value": "a"}, "rejected": "b"}, "bad_turn"),
            ({"prompt": [answer("q")], "chosen": [answer("a")], "rejected": [answer("b")]}, "wrong_order"),
        ]
        for record, reason in cases:
            with self.subTest(record=record):
                self.assertEqual(self.reason(record, "dpo", good), reason)

    def test_kto(self) -> None:
        expected = {"prompt": [user("q")], "completion": [answer("a")], "label": True}
        turns = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
        self.assertEqual(first({"prompt": "q", "completion": "a", "label": True}, "kto"), expected)
        self.assertEqual(first({"conversations": turns, "kto_tag": True}, "kto"), expected)
        pair = load([{"prompt": "q", "chosen": "a", "rejected": "b"}], "kto").train
        self.assertEqual([one.fields["label"] for one in pair], [True, False])
        good = {"prompt": "q", "completion": "a", "label": True}
        self.assertEqual(self.reason({**good, "label": "true"}, "kto", good), "wrong_type")

    def test_plain_text(self) -> None:
        self.assertEqual(first({"text": "Once."}, "cpt"), {"text": "Once."})
        good = {"text": "Once."}
        self.assertEqual(self.reason({"text": " "}, "cpt", good), "blank")
        self.assertEqual(self.reason({"instruction": "q", "output": "a"}, "cpt", good, format="cpt"), "missing_field")


class Files(unittest.TestCase):
    def fails(self, content: Any, method: str = "sft", **data: Any) -> RunError:
        with self.assertRaises(RunError) as raised:
            load(content, method, **data)
        return raised.exception

    def test_arrays_lines_marks_and_blank_lines(self) -> None:
        array = "\ufeff" + json.dumps([{"text": "one"}, {"text": "two"}])
        self.assertEqual(len(load(array, "cpt").train), 2)
        self.assertEqual(len(load('\ufeff{"text": "one"}\r\n\r\n{"text": "two"}', "cpt").train), 2)

    def test_what_is_no_data(self) -> None:
        for content in (
            b"",
            b"[]",
            b"\xff\xfe[\x00",
            b'[{"text": "a"},]',
            b'{"text": "\xff"}',
            b'{\n"text": "a"\n}',
            b'{"text": NaN}',
        ):
            with self.subTest(content=content):
                self.assertEqual(self.fails(content, "cpt").code, "bad_dataset")

    def test_files_to_evaluate_with_must_hold_something(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "held-back.json")
            for content, said in (("", str(path)), ("[]", str(path)), ('{"text": " "}', "blank: 1")):
                path.write_text(content)
                error = self.fails([{"text": "a"}], "cpt", eval_files=[str(path)], bad_rows="drop")
                self.assertEqual(error.code, "bad_dataset")
                self.assertIn(said, error.message)
            path.write_text('{"text": "b"}')
            self.assertEqual(len(load([{"text": "a"}], "cpt", eval_files=[str(path)]).eval), 1)
            self.assertIn("data.json", self.fails("", "cpt", eval_files=[str(path)]).message)

    def test_a_missing_file_is_told(self) -> None:
        with self.assertRaises(RunError) as raised:
            load([{"text": "a"}], "cpt", files=["/nowhere/data.jsonl"])
        self.assertEqual(raised.exception.code, "file_not_found")

    def test_a_folder_or_a_device_is_no_file(self) -> None:
        for path in ("/tmp", "/dev/zero"):
            with self.assertRaises(RunError) as raised:
                load([{"text": "a"}], "cpt", files=[path])
            self.assertEqual(raised.exception.code, "bad_dataset")

    def test_deep_records_are_refused(self) -> None:
        deep = '{"text": "a", "x": ' + "[" * 40 + "]" * 40 + "}"
        findings = load('{"text": "a"}\n' + deep, "cpt", bad_rows="drop").findings
        self.assertEqual(dict(findings.dropped), {"too_deep": 1})
        self.assertEqual(self.fails("[" * 100_000, "cpt").code, "bad_dataset")

    def test_bad_rows_fail_names_reasons_and_places(self) -> None:
        error = self.fails([{"text": "a"}, {"text": ""}, {"text": 1}], "cpt")
        self.assertEqual(error.code, "bad_dataset")
        for part in ("2 of 3", "blank: 1", "wrong_type: 1", "line 2", "line 3"):
            self.assertIn(part, error.message)

    def test_data_of_another_method(self) -> None:
        self.assertIn("cannot learn", self.fails([{"text": "a"}]).message)
        self.assertEqual(self.fails([{"text": "a"}], "dpo", format="cpt").code, "bad_spec")

    def test_max_records(self) -> None:
        self.assertEqual(len(load([{"text": str(n)} for n in range(9)], "cpt", max_records=4).train), 4)


class Splitting(unittest.TestCase):
    def setUp(self) -> None:
        self.rows = [{"text": f"text {number % 60}"} for number in range(120)]

    def parts(self, rows: list[dict[str, Any]], **data: Any) -> tuple[set[str], set[str]]:
        loaded = load(rows, "cpt", **data)
        self.assertEqual(len(loaded.train) + len(loaded.eval), len(rows))
        return tuple({one.fields["text"] for one in part} for part in (loaded.train, loaded.eval))

    def test_equal_examples_never_fall_on_both_sides_and_order_does_not_matter(self) -> None:
        train, held_back = self.parts(self.rows, eval_fraction=0.25)
        self.assertFalse(train & held_back)
        self.assertTrue(3 <= len(held_back) <= 30, len(held_back))
        self.assertEqual(self.parts(self.rows[::-1], eval_fraction=0.25), (train, held_back))
        more = self.parts([*self.rows, {"text": "new"}], eval_fraction=0.25)
        self.assertEqual(more[1] - {"new"}, held_back)

    def test_a_handful_has_something_on_both_sides(self) -> None:
        for fraction in (0.01, 0.5):
            train, held_back = self.parts([{"text": "a"}, {"text": "b"}], eval_fraction=fraction)
            self.assertEqual((len(train), len(held_back)), (1, 1))

    def test_duplicates_are_told(self) -> None:
        self.assertEqual(load(self.rows, "cpt").findings.noticed["duplicate"], 60)


class Forms(unittest.TestCase):
    def setUp(self) -> None:
        self.short = {"messages": [user("a"), answer("b")]}
        self.long = {"messages": [user("a"), answer("b"), user("c"), answer("d")]}

    def form(self, records: list[Any], can_mark: bool, **training: Any) -> tuple[str, list[Any]]:
        examples = load(records).train
        form = choose_sft_form(examples, {**FORM, **training}, can_mark)
        return form.name, to_rows(examples, form, True)

    def test_every_answer_is_learned_from_by_default(self) -> None:
        self.assertEqual(self.form([self.short], False)[0], "completion")
        self.assertEqual(self.form([self.short, self.long], True)[0], "marked")
        name, rows = self.form([self.short, self.long], False)
        self.assertEqual((name, len(rows)), ("each", 3))
        self.assertEqual(rows[2], {"prompt": self.long["messages"][:3], "completion": [answer("d")]})

    def test_what_was_asked_for_is_done(self) -> None:
        self.assertEqual(self.form([self.long], True, completion_only_loss=True)[0], "completion")
        self.assertEqual(self.form([self.short], True, completion_only_loss=False)[0], "whole")
        self.assertEqual(self.form([self.short], True, assistant_only_loss=True)[0], "marked")
        with self.assertRaises(RunError) as raised:
            self.form([self.short], False, assistant_only_loss=True)
        self.assertEqual(raised.exception.code, "chat_template_missing")


if __name__ == "__main__":
    unittest.main()
