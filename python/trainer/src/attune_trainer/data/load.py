"""All data of a run as examples to learn from and to evaluate with; whatever is left out is counted by reason."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..protocol import RunError
from ..spec import bad_spec
from .example import Example, Invalid
from .formats import detect_format, readers
from .read import Place, Problem, bad_dataset, read_records
from .unused import Tracked, texts_in, unused_fields

# How many places of each reason are told.
SHOWN_PLACES = 20
_FORMATS_OF_METHOD = {
    "sft": ("alpaca", "sharegpt", "openai"),
    # LLaMA-Factory's forms of preferences have the names of the forms that they extend.
    "dpo": ("dpo", "alpaca", "sharegpt"),
    "kto": ("kto", "dpo", "alpaca", "sharegpt"),
    "cpt": ("cpt",),
}


@dataclass
class Findings:
    """What was seen in the data: `dropped` ends a run or is left out, `noticed` is only told."""

    format: str = "auto"
    records_raw: int = 0
    records_valid: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    noticed: Counter[str] = field(default_factory=Counter)
    # Records by the path of their file.
    records_of: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    # Of each unused field, as far as they are told: how many records have it, and the first of them.
    _unused: dict[str, tuple[int, Place]] = field(default_factory=dict)

    def drop(self, place: Place, problem: Problem) -> None:
        self.dropped[problem.reason] += 1
        self._remember(problem.reason, f"{place}: {problem.detail}")

    def notice(self, reason: str, place: str) -> None:
        self.noticed[reason] += 1
        self._remember(reason, place)

    def notice_unused(self, record: Tracked, place: Place) -> None:
        """Counts a record that was read and has fields with text that nothing was made of."""
        names = unused_fields(record)
        if not names:
            return
        self.noticed["unused_field"] += 1
        for name in sorted(names):
            if name in self._unused or len(self._unused) < SHOWN_PLACES:
                count, first = self._unused.get(name, (0, place))
                self._unused[name] = (count + 1, first)

    def places_of(self, reason: str) -> list[str]:
        if reason != "unused_field":
            return self.places[reason]
        return [f"{count} × {name[:100]}, first {first}" for name, (count, first) in self._unused.items()]

    def _remember(self, reason: str, text: str) -> None:
        places = self.places.setdefault(reason, [])
        if len(places) < SHOWN_PLACES:
            places.append(text[:300])


@dataclass(frozen=True)
class Loaded:
    train: list[Example]
    eval: list[Example]
    findings: Findings
    # Of all examples, in their order.
    fingerprint: str


OnProgress = Callable[[int, int], None]
# Raises Invalid for an example that the engine cannot learn from, whose record then counts as of the wrong form.
Accept = Callable[[Example], None]


def load_data(
    spec: dict[str, Any],
    on_progress: OnProgress = lambda current, total: None,
    accept: Accept = lambda example: None,
) -> Loaded:
    """
    Reads the data of a run; `on_progress` is told how many files of how many are read.

    @raises RunError bad_spec, bad_dataset, file_not_found
    """
    data, method = spec["data"], spec["method"]
    if data["eval_files"] and data["eval_fraction"] > 0:
        raise bad_spec("data.eval_fraction and data.eval_files are given; one of them says what to evaluate with.")
    if data["format"] != "auto" and data["format"] not in _FORMATS_OF_METHOD[method]:
        raise bad_spec(f"data.format {data['format']} does not go with method {method}.")
    findings = Findings(data["format"])
    files = [*data["files"], *data["eval_files"]]
    reader = _Reader(method, data, findings, accept)
    sets: list[list[Example]] = [[], []]
    for position, path in enumerate(files):
        on_progress(position, len(files))
        is_bounded = position < len(data["files"])
        sets[0 if is_bounded else 1].extend(reader.examples(path, is_bounded))
    on_progress(len(files), len(files))
    _judge(findings, data["bad_rows"], (data["files"], sets[0]), (data["eval_files"], sets[1]))
    train, held_back = _split(sets[0], data["eval_fraction"], spec["training"]["seed"])
    _notice_duplicates(train, sets[1], findings)
    evaluation = sets[1] or held_back
    return Loaded(train, evaluation, findings, _fingerprint(train, evaluation))


class _Reader:
    def __init__(self, method: str, data: dict[str, Any], findings: Findings, accept: Accept) -> None:
        self._method = method
        self._accept = accept
        self._format = data["format"]
        self._left = data.get("max_records")
        self._findings = findings

    def examples(self, path: str, is_bounded: bool) -> Iterator[Example]:
        for place, record in read_records(path):
            if is_bounded and self._left is not None:
                if self._left == 0:
                    return
                self._left -= 1
            self._findings.records_raw += 1
            self._findings.records_of[path] += 1
            if isinstance(record, Problem):
                self._findings.drop(place, record)
                continue
            record = Tracked(record)
            try:
                found = self._read(record)
                for example in found:
                    _require_question(example)
                    self._accept(example)
            except Invalid as error:
                self._findings.drop(place, error.problem)
                continue
            self._findings.records_valid += 1
            self._findings.notice_unused(record, place)
            for example in found:
                _notice_oddities(example, place, self._findings)
            yield from found

    def _read(self, record: dict[str, Any]) -> list[Example]:
        if self._format == "auto":
            self._format = self._detect(record)
            self._findings.format = self._format
        return readers[self._method if self._method != "sft" else self._format](record)

    def _detect(self, record: dict[str, Any]) -> str:
        found = detect_format(record)
        if found is None:
            names = ", ".join(sorted(record)[:8])
            raise Invalid("unknown_format", f"no known format has the fields {names}")
        if found not in _FORMATS_OF_METHOD[self._method]:
            raise bad_dataset(
                f"The data are of the format {found}, from which method {self._method} cannot learn.",
                f"Choose data of {' or '.join(_FORMATS_OF_METHOD[self._method])}, or the method that fits these.",
            )
        return found


def _require_question(example: Example) -> None:
    """An answer before any question is learned from by some forms and templates and not by others, so by none."""
    if example.kind != "sft":
        return
    messages = example.fields["messages"]
    first = 1 if messages[0]["role"] == "system" else 0
    if messages[first]["role"] == "assistant" and first not in example.unlearned:
        raise Invalid("wrong_order", "the first turn is from the assistant, and no question stands before it")


def _judge(findings: Findings, bad_rows: str, *sets: tuple[list[str], list[Example]]) -> None:
    """`sets`: files and the examples of them. Files that are given must give something."""
    dropped = sum(findings.dropped.values())
    if dropped and bad_rows == "fail":
        raise _too_bad(findings, dropped)
    for files, examples in sets:
        if not files or examples:
            continue
        if any(findings.records_of[path] for path in files):
            raise _too_bad(findings, dropped)
        raise no_record(files)


def no_record(files: list[str]) -> RunError:
    names = ", ".join(files)[:500]
    return bad_dataset(f"The data file {names} holds no record." if len(files) == 1 else f"No record is in {names}.")


def _too_bad(findings: Findings, dropped: int) -> RunError:
    reasons = ", ".join(f"{name}: {count}" for name, count in findings.dropped.most_common())
    shown = "; ".join(findings.places[name][0] for name, _ in findings.dropped.most_common(5))
    return bad_dataset(f"{dropped} of {findings.records_raw} records cannot be used ({reasons}). {shown}.")


def _notice_oddities(example: Example, place: Place, findings: Findings) -> None:
    if example.kind == "dpo" and _same_answer(example.fields["chosen"], example.fields["rejected"]):
        findings.notice("chosen_equals_rejected", str(place))
    if "\ufffd" in repr(example.fields):
        findings.notice("replacement_character", str(place))


def notice_special_tokens(examples: list[Example], tokens: list[str], findings: Findings) -> None:
    """Text that holds a token of the model's template is read as that token: it may end an answer or begin a turn."""
    for number, example in enumerate(examples, 1):
        texts = list(texts_in(example.fields))
        if any(token in text for token in tokens for text in texts):
            findings.notice("special_token_in_text", f"example {number}")


def _same_answer(chosen: list[Any], rejected: list[Any]) -> bool:
    return [str(one["content"]).strip() for one in chosen] == [str(one["content"]).strip() for one in rejected]


def _split(examples: list[Example], fraction: float, seed: int) -> tuple[list[Example], list[Example]]:
    """By hash of seed and content: the same examples always fall the same way, and equal ones never fall on both sides."""
    if fraction == 0:
        return examples, []
    keys = [example.key() for example in examples]
    rank = {key: hashlib.sha256(f"{seed}:{key}".encode()).hexdigest() for key in keys}
    bound = f"{int(fraction * 16**15):015x}"
    held_back = {key for key, value in rank.items() if value[:15] < bound}
    if len(rank) < 2:
        raise bad_dataset("data.eval_fraction holds examples back, and there are no two different ones.")
    # Of a handful of examples chance may hold none back, or all.
    if not held_back:
        held_back = {min(rank, key=lambda key: rank[key])}
    if len(held_back) == len(rank):
        held_back.discard(max(rank, key=lambda key: rank[key]))
    pairs = list(zip(examples, keys, strict=True))
    return [one for one, key in pairs if key not in held_back], [one for one, key in pairs if key in held_back]


def _notice_duplicates(train: list[Example], evaluation: list[Example], findings: Findings) -> None:
    seen: set[str] = set()
    for number, example in enumerate(train, 1):
        key = example.key()
        if key in seen:
            findings.notice("duplicate", f"example {number}")
        seen.add(key)
    for number, example in enumerate(evaluation, 1):
        if example.key() in seen:
            findings.notice("evaluated_and_trained", f"evaluation example {number}")


def _fingerprint(train: list[Example], evaluation: list[Example]) -> str:
    digest = hashlib.sha256()
    for part in (train, evaluation):
        digest.update(f"{len(part)}\n".encode())
        for example in part:
            digest.update(example.key().encode())
    return digest.hexdigest()
