"""Text from tokens as they come: as soon as it is certain, and never half a character."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from typing import Any

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def byte_of_each_letter() -> dict[str, int]:
    """How byte-level tokenizers write bytes: printable ones as themselves, the others as letters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}


class Detokeniser:
    """
    The text of one answer: `add` takes the next token and returns what it makes certain, `end` the rest. Together that is
    what the tokenizer decodes the whole answer to, special tokens left out. Bytes that are no UTF-8 become U+FFFD.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._special = {id for id, token in tokenizer.added_tokens_decoder.items() if token.special}
        self._special.update(tokenizer.all_special_ids)
        bytes_of = _bytes_of_pieces(tokenizer)
        self._decoder: _ByteText | _WindowText = (
            _WindowText(tokenizer) if bytes_of is None else _ByteText(bytes_of, _strips_a_space(tokenizer))
        )

    def add(self, token: int) -> str:
        return "" if token in self._special else self._decoder.add(token)

    def end(self, cut_off: bool = False) -> str:
        """`cut_off`: the answer was ended before the model ended it, and half a character at its end is left out."""
        rest = self._decoder.end()
        return "" if cut_off and rest == _REPLACEMENT * len(rest) else rest


class _ByteText:
    """For tokenizers whose every token is a run of bytes: nothing is decoded twice."""

    def __init__(self, bytes_of: Callable[[int], bytes], strips_a_space: bool) -> None:
        self._bytes_of = bytes_of
        self._strips_a_space = strips_a_space
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def add(self, token: int) -> str:
        return self._without_first_space(self._utf8.decode(self._bytes_of(token)))

    def end(self) -> str:
        return self._without_first_space(self._utf8.decode(b"", final=True))

    def _without_first_space(self, text: str) -> str:
        if not self._strips_a_space or text == "":
            return text
        self._strips_a_space = False
        return text[1:] if text.startswith(" ") else text


class _WindowText:
    """For all other tokenizers: decodes the last tokens together with those before them that their text depends on."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._ids: list[int] = []
        self._context = 0
        self._told = 0

    def add(self, token: int) -> str:
        self._ids.append(token)
        text = self._fresh()
        if text == "" or text.endswith(_REPLACEMENT):
            return ""
        self._context, self._told = self._told, len(self._ids)
        return text

    def end(self) -> str:
        text = self._fresh()
        self._told = len(self._ids)
        return text

    def _fresh(self) -> str:
        known = self._decode(self._ids[self._context : self._told])
        return self._decode(self._ids[self._context :])[len(known) :]

    def _decode(self, ids: list[int]) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)


def _decoder_steps(tokenizer: Any) -> list[dict[str, Any]]:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or getattr(backend, "decoder", None) is None:
        return []
    decoder = json.loads(backend.decoder.__getstate__())
    return decoder["decoders"] if decoder["type"] == "Sequence" else [decoder]


def _bytes_of_pieces(tokenizer: Any) -> Callable[[int], bytes] | None:
    """The bytes of a token, where the tokenizer's decoder is one of the two common ones, which only put bytes together."""
    steps = _decoder_steps(tokenizer)
    kinds = [step["type"] for step in steps]
    if kinds == ["ByteLevel"]:
        return _byte_level(tokenizer)
    if kinds in (["Replace", "ByteFallback", "Fuse"], ["Replace", "ByteFallback", "Fuse", "Strip"]):
        pattern = steps[0]["pattern"].get("String")
        is_plain = pattern is not None and (len(steps) == 3 or _is_first_space(steps[3]))
        return _byte_fallback(tokenizer, pattern, steps[0]["content"]) if is_plain else None
    return None


def _strips_a_space(tokenizer: Any) -> bool:
    return any(_is_first_space(step) for step in _decoder_steps(tokenizer))


def _is_first_space(step: dict[str, Any]) -> bool:
    return step["type"] == "Strip" and (step["content"], step["start"], step["stop"]) == (" ", 1, 0)


def _byte_level(tokenizer: Any) -> Callable[[int], bytes]:
    byte_of = byte_of_each_letter()
    piece_of = tokenizer.backend_tokenizer.id_to_token

    def bytes_of(token: int) -> bytes:
        piece = piece_of(token) or ""
        try:
            return bytes(byte_of[letter] for letter in piece)
        except KeyError:
            return piece.encode()  # an added token, which is written as it is

    return bytes_of


def _byte_fallback(tokenizer: Any, pattern: str, content: str) -> Callable[[int], bytes]:
    piece_of = tokenizer.backend_tokenizer.id_to_token

    def bytes_of(token: int) -> bytes:
        piece = (piece_of(token) or "").replace(pattern, content)
        byte = _BYTE_TOKEN.fullmatch(piece)
        return piece.encode() if byte is None else bytes([int(byte.group(1), 16)])

    return bytes_of
