"""Fields beside the messages: what is read of them, and what is told of those that are not."""

from __future__ import annotations

from attune_trainer.data.to_trl import choose_sft_form, to_rows
from attune_trainer.protocol import RunError

from .data_kit import DataTestCase, answer, first, load, user

FORM = {"assistant_only_loss": False}


class Fields(DataTestCase):
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
