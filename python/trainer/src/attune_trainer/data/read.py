"""Records of JSON and JSON Lines files, each with its place; what cannot be a record is told as a problem at its place."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..protocol import EXIT_BAD_DATASET, RunError

MAX_LINE_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 32


@dataclass(frozen=True)
class Place:
    """Where a record stands: its line in a JSON Lines file, its position from 1 in a JSON array."""

    file: str
    number: int
    is_line: bool

    def __str__(self) -> str:
        return f"{Path(self.file).name}, {'line' if self.is_line else 'record'} {self.number}"


@dataclass(frozen=True)
class Problem:
    """Why a record cannot be used: `reason` is a short name to count by."""

    reason: str
    detail: str


def bad_dataset(message: str, hint: str | None = None) -> RunError:
    return RunError("bad_dataset", message, EXIT_BAD_DATASET, hint)


def read_records(path: str) -> Iterator[tuple[Place, Any | Problem]]:
    """
    Every record of a file: a JSON array or JSON Lines in UTF-8, told apart by content and not by name.

    @raises RunError file_not_found, bad_dataset
    """
    if os.path.exists(path) and not os.path.isfile(path):
        # A folder, or a device or pipe that might never end.
        raise bad_dataset(f"{path} is not a file.")
    try:
        with open(path, "rb") as file:
            start = file.read(64)
            if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise bad_dataset(f"{path} is UTF-16 text.", "Save it as UTF-8.")
            file.seek(0)
            if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
                yield from _of_array(path, file.read())
            else:
                yield from _of_lines(path, file)
    except FileNotFoundError:
        raise RunError("file_not_found", f"The data file {path} is not on this node.", EXIT_BAD_DATASET) from None
    except PermissionError:
        raise RunError("file_not_found", f"The data file {path} may not be read.", EXIT_BAD_DATASET) from None


def _of_array(path: str, content: bytes) -> Iterator[tuple[Place, Any | Problem]]:
    try:
        records = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise bad_dataset(f"{path} is not UTF-8: byte {error.start}.", "Save it as UTF-8.") from None
    except RecursionError:
        raise bad_dataset(f"{path} is nested too deep.") from None
    except ValueError as error:
        raise bad_dataset(f"{path} begins like a JSON array and is none: {error}.") from None
    for number, record in enumerate(records, 1):
        yield Place(path, number, False), _checked(record)


def _of_lines(path: str, lines: Any) -> Iterator[tuple[Place, Any | Problem]]:
    number = 0
    while line := lines.readline(MAX_LINE_BYTES + 1):
        number += 1
        place = Place(path, number, True)
        if len(line) > MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = lines.readline(MAX_LINE_BYTES)
            yield place, Problem("line_too_long", f"the line is longer than {MAX_LINE_BYTES} bytes")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield place, _parse_line(line)


def _parse_line(line: bytes) -> Any | Problem:
    try:
        return _checked(json.loads(line.decode("utf-8"), parse_constant=_refuse_constant))
    except UnicodeDecodeError:
        return Problem("not_utf8", "the line is not UTF-8; save the file as UTF-8")
    except RecursionError:
        return Problem("too_deep", f"nested deeper than {MAX_DEPTH}")
    except ValueError as error:
        hint = "; is this JSON printed over several lines?" if line.strip() in (b"{", b"[", b"}", b"]") else ""
        return Problem("not_json", f"the line is not JSON: {error}{hint}")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _checked(record: Any) -> Any | Problem:
    if not isinstance(record, dict):
        return Problem("not_an_object", f"a record must be a JSON object, and this is {type_name(record)}")
    if isinstance(record.get("data"), list) and len(record) == 1:
        return Problem("wrapped_in_data", 'the records stand inside {"data": […]}; give the array itself')
    return Problem("too_deep", f"nested deeper than {MAX_DEPTH}") if _depth_exceeds(record, MAX_DEPTH) else record


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [child for one in level for child in _children(one)]
        if not level:
            return False
    return True


def _children(value: Any) -> Any:
    if isinstance(value, dict):
        return [child for child in value.values() if isinstance(child, dict | list)]
    return [child for child in value if isinstance(child, dict | list)] if isinstance(value, list) else []


def type_name(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
