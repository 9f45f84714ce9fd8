"""Commands of the agent: what is taken, and what is refused with a word that helps."""

import json
import unittest
from typing import Any

from attune_trainer.serving.commands import BadRequest, Cancel, Chat, Generation, Load, Ping, Unload, parse_command

CHAT = {"cmd": "chat", "request_id": "a", "messages": [{"role": "user", "content": "Hello"}]}


def parse(command: Any) -> Any:
    return parse_command(json.dumps(command).encode())


class CommandsTest(unittest.TestCase):
    def test_takes_every_command(self) -> None:
        self.assertEqual(parse({"cmd": "load", "model_path": "/m"}), Load("/m"))
        load = {"cmd": "load", "model_path": "/m", "adapter_path": "/a", "dtype": "bf16", "quantisation": "nf4"}
        self.assertEqual(parse({**load, "context_length": 99}), Load("/m", "/a", "bf16", "nf4", 99))
        self.assertEqual(parse(CHAT), Chat("a", [{"role": "user", "content": "Hello"}], Generation()))
        self.assertEqual(parse({"cmd": "cancel", "request_id": "a"}), Cancel("a"))
        self.assertEqual(parse({"cmd": "ping", "id": [1]}), Ping([1]))
        self.assertEqual(parse({"cmd": "unload"}), Unload())

    def test_takes_the_settings_of_a_generation(self) -> None:
        settings = {"max_new_tokens": 7, "temperature": 0.5, "top_p": 0.9, "top_k": 3, "stop": ["x"], "seed": None}
        self.assertEqual(
            parse({**CHAT, "generation": settings}).generation, Generation(7, 0.5, 0.9, 3, 1.0, ["x"], None)
        )

    def test_refuses_what_is_no_command(self) -> None:
        for line in (b"", b"{", b"[]", b"null", b'{"cmd":[]}', b'{"cmd":"boom"}', b"\xff\xfe", b"[" * 100_000, b"{}"):
            with self.subTest(line=line[:20]), self.assertRaises(BadRequest):
                parse_command(line)

    def test_names_what_is_wrong_and_whose_it_is(self) -> None:
        cases = [
            ({"messages": []}, "messages"),
            ({"messages": "Hello"}, "messages"),
            ({"messages": [{"role": "robot", "content": ""}]}, "messages[0].role"),
            ({"messages": [{"role": "user", "content": None}]}, "messages[0].content"),
            ({"messages": [{"role": "user", "content": "\ud800"}]}, "surrogate"),
            ({"messages": [7]}, "messages[0]"),
            ({"generation": []}, "generation"),
            ({"generation": {"beams": 2}}, "beams"),
            *(({"generation": {name: value}}, f"generation.{name}") for name, value in BAD_SETTINGS),
        ]
        for change, word in cases:
            with self.subTest(change=change), self.assertRaises(BadRequest) as caught:
                parse({**CHAT, **change})
            self.assertIn(word, caught.exception.message)
            self.assertEqual(caught.exception.request_id, "a")

    def test_refuses_a_chat_without_an_id_and_a_load_without_a_path(self) -> None:
        for command in (
            {**CHAT, "request_id": ""},
            {**CHAT, "request_id": 5},
            {**CHAT, "request_id": "x" * 201},
            {"cmd": "load"},
            {"cmd": "load", "model_path": "a\0b"},
            {"cmd": "load", "model_path": "/m", "dtype": "int3"},
            {"cmd": "load", "model_path": "/m", "context_length": 0},
            {"cmd": "load", "model_path": "/m", "context_length": True},
        ):
            with self.subTest(command=command), self.assertRaises(BadRequest):
                parse(command)


BAD_SETTINGS = [
    ("max_new_tokens", 0),
    ("max_new_tokens", 1.5),
    ("max_new_tokens", True),
    ("max_new_tokens", None),
    ("temperature", -1),
    ("temperature", float("nan")),
    ("temperature", "hot"),
    ("top_p", 0),
    ("top_p", 1.1),
    ("top_k", -1),
    ("repetition_penalty", 0),
    ("repetition_penalty", float("inf")),
    ("stop", ["x"] * 17),
    ("stop", [""]),
    ("stop", ["y" * 5000]),
    ("stop", "x"),
    ("seed", -1),
    ("seed", 2**32),
]


if __name__ == "__main__":
    unittest.main()
