"""The turns of a chat template, taken apart, for programs that do not read Jinja."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Talk = list[dict[str, str]]
_USER, _ANSWER, _SYSTEM = "ask-9d1f", "reply-9d1f", "rule-9d1f"


@dataclass(frozen=True)
class Turns:
    """What stands before and after the text of each role; a talk is a beginning, its turns, and the prompt for the answer."""

    beginning: str
    around: dict[str, tuple[str, str]]
    prompt: str
    # What the template says as the system where a talk says nothing.
    default_system: str | None

    def render(self, talk: Talk) -> str:
        says_system = bool(talk) and talk[0]["role"] == "system"
        default = (
            [{"role": "system", "content": self.default_system}] if self.default_system and not says_system else []
        )
        turns = [
            self.around[turn["role"]][0] + turn["content"] + self.around[turn["role"]][1] for turn in default + talk
        ]
        return self.beginning + "".join(turns) + self.prompt


def take_apart(tokenizer: Any) -> Turns | None:
    """None where the template does more than put texts around turns, which is seen by comparing what both render."""
    try:
        turns = _guess(tokenizer)
        same = turns is not None and all(turns.render(talk) == _render(tokenizer, talk, True) for talk in _talks())
    except Exception:
        return None  # a template that renders none of the usual talks
    return turns if same else None


def probe_talks() -> list[Talk]:
    """Talks that a template is tried with."""
    return _talks()


def _turn(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _talks() -> list[Talk]:
    question, answer, more = (
        _turn("user", "What is it?"),
        _turn("assistant", "It is 模型 – é."),
        _turn("user", "Why?\nSay."),
    )
    rule = _turn("system", "Be brief.")
    talks = [[question], [question, answer, more], [rule, question], [rule, question, answer, more, answer, question]]
    return [list(talk) for talk in talks]


def _render(tokenizer: Any, talk: Sequence[dict[str, str]], asks: bool = False) -> str:
    return tokenizer.apply_chat_template(list(talk), tokenize=False, add_generation_prompt=asks)


def _guess(tokenizer: Any) -> Turns | None:
    user, answer, rule = _turn("user", _USER), _turn("assistant", _ANSWER), _turn("system", _SYSTEM)
    one, two, three = (_render(tokenizer, talk) for talk in ([user], [user, answer], [user, answer, user]))
    asked = _render(tokenizer, [user], True)
    ruled = _render(tokenizer, [rule, user])
    if not (two.startswith(one) and three.startswith(two) and asked.startswith(one)):
        return None
    around_user = _around(three[len(two) :], _USER)
    around_answer = _around(two[len(one) :], _ANSWER)
    tail = around_user[0] + _USER + around_user[1]
    if not (one.endswith(tail) and ruled.endswith(tail)):
        return None
    head = one[: len(one) - len(tail)]
    before, after = _around(ruled[: len(ruled) - len(tail)], _SYSTEM)
    around = {"user": around_user, "assistant": around_answer}
    prompt = asked[len(one) :]
    if before.startswith(head):
        return Turns(head, {**around, "system": (before[len(head) :], after)}, prompt, None)
    if head.startswith(before) and head.endswith(after) and len(head) > len(before) + len(after):
        default = head[len(before) : len(head) - len(after)]
        return Turns("", {**around, "system": (before, after)}, prompt, default)
    return None


def _around(text: str, mark: str) -> tuple[str, str]:
    before, found, after = text.partition(mark)
    if not found:
        raise ValueError("the template leaves out what was said")
    return before, after
