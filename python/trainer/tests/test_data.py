"""Every format, every way in which a record can be wrong, and how examples are held back."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from attune_trainer.data.load import Loaded, load_data
from attune_trainer.data.to_trl import choose_sft_form, to_rows
from attune_trainer.protocol import RunError
from attune_trainer.spec import check_spec

FORM = {"assistant_only_loss": False}


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def load(content: Any, method: str = "sft", **data: Any) -> Loaded:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.json")
        if isinstance(content, list):
            content = "".join(json.dumps(one) + "\n" for one in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        spec = {"kind": "train", "model": {"path": "/m"}, "method": method, "tuning": "lora"}
        return load_data(check_spec({**spec, "data": {"files": [str(path)], **data}}, "train"))


def first(record: dict[str, Any], method: str = "sft", **data: Any) -> dict[str, Any]:
    return load([record], method, **data).train[0].fields


class Formats(unittest.TestCase):
    def reason(self, record: Any, method: str = "sft", good: dict[str, Any] | None = None, **data: Any) -> str:
        """Why a record is left out, beside a good one."""
        fine = good or {"instruction": "q", "output": "a"}
        findings = load([fine, record], method, bad_rows="drop", **data).findings
        self.assertEqual((findings.records_raw, findings.records_valid), (2, 1))
        ((reason, count),) = findings.dropped.items()
        self.assertEqual(count, 1)
        self.assertIn("line 2", findings.places[reason][0])
        return reason

    def check_reasons(self, cases: list[tuple[dict[str, Any], str]], good: dict[str, Any], method: str = "sft") -> None:
        for record, reason in cases:
            with self.subTest(record=record):
                self.assertEqual(self.reason(record, method, good), reason)

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

    def test_fields_system_and_history_come_before_every_prompt(self) -> None:
        more = {"system": "s", "history": [["a", "b"]]}
        system = {"role": "system", "content": "s"}
        before = [system, user("a"), answer("b"), user("q")]
        pair = {"chosen": "good", "rejected": "bad"}
        messages = {"chosen": [answer("good")], "rejected": [answer("bad")]}
        self.assertEqual(first({"prompt": "q", "completion": "c", **more})["messages"], [*before, answer("c")])
        for record in ({"prompt": "q", **pair, **more}, {"prompt": [user("q")], **messages, **more}):
            self.assertEqual(first(record, "dpo"), {"prompt": before, **messages})
            self.assertEqual(first(record, "kto")["prompt"], before)
        # A message that says the same may stand there, too.
        same = {"prompt": [system, user("q")], **messages, **more}
        self.assertEqual(first(same, "dpo")["prompt"], before)
        self.assertEqual(first({"prompt": "q", "completion": "c", "label": True, **more}, "kto")["prompt"], before)
        whole = {"system": "s", "chosen": [user("q"), answer("good")], "rejected": [user("q"), answer("bad")]}
        self.assertEqual(first(whole, "dpo"), {"prompt": [system, user("q")], **messages})
        for own in ([], [system]):
            record = {"system": "s", "messages": [*own, user("q"), answer("a")]}
            self.assertEqual(first(record)["messages"], [system, user("q"), answer("a")])

    def test_a_pair_of_strings_with_a_system_message_is_a_conversation(self) -> None:
        pair = {"prompt": "q", "chosen": "good", "rejected": "bad"}
        plain, talk = load([pair, {**pair, "system": "s"}], "dpo").train
        self.assertEqual((plain.is_plain, talk.is_plain), (True, False))

    def test_fields_that_contradict_the_messages_are_refused(self) -> None:
        other = {"role": "system", "content": "other"}
        good = {"messages": [user("q"), answer("a")]}
        self.check_reasons([({"system": "s", "messages": [other, user("q"), answer("a")]}, "two_systems")], good)
        messages = {"chosen": [answer("a")], "rejected": [answer("b")]}
        pair = {"prompt": "q", "chosen": "a", "rejected": "b"}
        cases = [
            ({"prompt": [other, user("q")], **messages, "system": "s"}, "two_systems"),
            ({**pair, "system": ["s"]}, "wrong_type"),
            ({**pair, "history": "before"}, "bad_history"),
        ]
        self.check_reasons(cases, pair, "dpo")

    def test_an_answer_of_weight_0_is_not_learned_from(self) -> None:
        messages = [user("a"), {**answer("b"), "weight": 0}, user("c"), {**answer("d"), "weight": True}]
        turns = [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b", "weight": False}]
        turns += [{"from": "human", "value": "c", "weight": 0}, {"from": "gpt", "value": "d", "weight": 1}]
        split = {"prompt": messages[:3], "completion": messages[3:]}
        for record in ({"messages": messages}, {"system": "s", "messages": messages}, {"conversations": turns}, split):
            with self.subTest(record=record):
                examples = load([record]).train
                rows = to_rows(examples, choose_sft_form(examples, FORM, True), True)
                self.assertEqual([row["completion"] for row in rows], [[answer("d")]])
                self.assertEqual(rows[0]["prompt"][-3:], [user("a"), answer("b"), user("c")])

    def test_other_weights_are_refused(self) -> None:
        human, gpt = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
        good = {"messages": [user("q"), answer("a")]}
        for weight in ("0", 0.5, 2, [], {}):
            self.check_reasons([({"messages": [user("q"), {**answer("a"), "weight": weight}]}, "bad_weight")], good)
            turns = {"conversations": [human, {**gpt, "weight": weight}]}
            self.check_reasons([(turns, "bad_weight")], {"conversations": [human, gpt]})
        self.check_reasons(
            [({"conversations": [human, {**gpt, "weight": 0}]}, "no_answer")], {"conversations": [human, gpt]}
        )

    def test_a_preference_has_no_answer_of_weight_0(self) -> None:
        off = {**answer("a"), "weight": 0}
        pair = {"prompt": [user("q")], "chosen": [answer("a")], "rejected": [answer("b")]}
        self.check_reasons([({**pair, "chosen": [off]}, "bad_weight")], pair, "dpo")
        kto = {"prompt": [user("q")], "completion": [answer("a")], "label": True}
        self.check_reasons([({**kto, "completion": [off]}, "bad_weight")], kto, "kto")
        # In the prompt it says what holds anyhow.
        asked = {**pair, "prompt": [user("p"), off, user("q")]}
        self.assertEqual(first(asked, "dpo")["prompt"], [user("p"), answer("a"), user("q")])

    def test_a_last_answer_of_weight_0_does_not_go_with_a_loss_on_the_last_answer(self) -> None:
        examples = load([{"messages": [user("a"), answer("b"), user("c"), {**answer("d"), "weight": 0}]}]).train
        with self.assertRaises(RunError) as raised:
            choose_sft_form(examples, {**FORM, "completion_only_loss": True}, True)
        self.assertEqual(raised.exception.code, "bad_spec")

    def test_an_answer_without_a_question_is_left_out_and_counted(self) -> None:
        system = {"role": "system", "content": "s"}
        cases = [[answer("a")], [answer("a"), user("q"), answer("b")], [system, answer("a")]]
        records = [({"messages": messages}, "wrong_order") for messages in cases]
        self.check_reasons(
            [*records, ({"prompt": [system], "completion": [answer("a")]}, "wrong_order")],
            {"messages": [user("q"), answer("a")]},
        )
        # One that is not learned from is lost to nobody.
        greeting = [{**answer("a"), "weight": 0}, user("q"), answer("b")]
        examples = load([{"messages": greeting}]).train
        rows = to_rows(examples, choose_sft_form(examples, FORM, False), True)
        self.assertEqual(rows, [{"prompt": [answer("a"), user("q")], "completion": [answer("b")]}])

    def test_fields_with_text_that_are_not_used_are_told_once_each(self) -> None:
        turns = [user("q"), {**answer("a"), "reasoning_content": "Because.", "refusal": None}]
        records = [
            {"messages": turns, "source": {"name": "wiki"}, "score": 3, "note": " "},
            {"messages": [user("r"), {**answer("b"), "reasoning_content": "Why."}], "history": [["a", "b"]]},
            {"messages": [user("t"), answer("c")], "tools": [], "system": "s"},
        ]
        findings = load(records).findings
        self.assertEqual(findings.noticed, {"unused_field": 2})
        self.assertEqual(
            findings.places_of("unused_field"),
            [
                "2 × messages.reasoning_content, first data.json, line 1",
                "1 × source, first data.json, line 1",
                "1 × history, first data.json, line 2",
            ],
        )

    def test_fields_that_are_not_used_are_told_in_every_form(self) -> None:
        human, gpt = {"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}
        thought = {**gpt, "thought": "t"}
        for method, record, name in (
            ("sft", {"instruction": "q", "output": "a", "text": "t"}, "text"),
            ("sft", {"conversations": [human, thought]}, "conversations.thought"),
            ("dpo", {"conversations": [human], "chosen": thought, "rejected": gpt}, "chosen.thought"),
            ("dpo", {"prompt": "q", "chosen": "a", "rejected": "b", "instruction_id": "7"}, "instruction_id"),
            ("kto", {"prompt": "q", "completion": "a", "label": True, "lang": "en"}, "lang"),
            ("cpt", {"title": "t", "text": "body"}, "title"),
        ):
            with self.subTest(record=record):
                findings = load([record], method).findings
                self.assertEqual(findings.places_of("unused_field"), [f"1 × {name}, first data.json, line 1"])

    def test_of_many_unused_fields_the_first_are_told(self) -> None:
        records = [{"text": "a", f"field {number}": "b"} for number in range(90)]
        findings = load(records, "cpt").findings
        self.assertEqual((findings.noticed["unused_field"], len(findings.places_of("unused_field"))), (90, 20))


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
