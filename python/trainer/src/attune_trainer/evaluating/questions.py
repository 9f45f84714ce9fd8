"""Records of every format as questions with the answer that is right: the last answer is the reference, the rest the prompt."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from attune_trainer.data.example import Example, Invalid
from attune_trainer.data.formats import detect_format, readers
from attune_trainer.data.load import Findings, no_record
from attune_trainer.data.read import Problem, bad_dataset, read_records
from attune_trainer.data.unused import Tracked
from attune_trainer.spec import bad_spec


@dataclass(frozen=True)
class Question:
    # Position among the questions, from 0.
    index: int
    # Where it stands: file and line, or file and position.
    place: str
    messages: list[dict[str, Any]]
    tools: list[Any] | None
    reference: str


@dataclass(frozen=True)
class QuestionSet:
    questions: list[Question]
    findings: Findings
    sha256: str


def read_questions(data: dict[str, Any]) -> QuestionSet:
    """@raises RunError bad_spec, bad_dataset, file_not_found"""
    if data["eval_files"] or data["eval_fraction"] > 0:
        raise bad_spec(
            "data.eval_files and data.eval_fraction are for training; an evaluation takes all of data.files."
        )
    findings = Findings(data["format"])
    most = data.get("max_records")
    questions: list[Question] = []
    for path in data["files"]:
        for place, record in read_records(path):
            if findings.records_raw == most:
                break
            findings.records_raw += 1
            record = record if isinstance(record, Problem) else Tracked(record)
            try:
                question = _read(record, findings, str(place), len(questions))
            except Invalid as error:
                findings.drop(place, error.problem)
                continue
            findings.records_valid += 1
            findings.notice_unused(record, place)
            questions.append(question)
    _judge(findings, data["bad_rows"], data["files"], questions)
    return QuestionSet(questions, findings, _fingerprint(questions))


def _read(record: Any, findings: Findings, place: str, index: int) -> Question:
    if isinstance(record, Problem):
        raise Invalid(record.reason, record.detail)
    if findings.format == "auto":
        findings.format = detect_format(record) or "auto"
    if findings.format == "auto":
        raise Invalid("unknown_format", f"no known format has the fields {', '.join(sorted(record)[:8])}")
    if findings.format == "cpt":
        raise bad_dataset("The data are plain texts, which ask nothing.", "Choose data with questions and answers.")
    example = next(one for one in _examples(record, findings.format) if one.fields.get("label") is not False)
    messages = _messages(example)
    if messages[-1].get("tool_calls"):
        raise Invalid("answer_is_a_call", "the last answer is a call of a tool, and no text to compare with")
    return Question(index, place, messages[:-1], example.tools, messages[-1]["content"])


def _examples(record: dict[str, Any], form: str) -> list[Example]:
    # LLaMA-Factory's preferences have the fields of the formats that they extend.
    is_pair = "chosen" in record and "rejected" in record
    found = readers["dpo" if is_pair else "kto" if "kto_tag" in record else form](record)
    if all(example.fields.get("label") is False for example in found):
        raise Invalid("unwanted_answer", "its answer is marked as unwanted, and what is right is not known")
    return found


def _messages(example: Example) -> list[dict[str, Any]]:
    fields = example.fields
    if example.kind == "sft":
        messages = fields["messages"]
    else:
        answer = fields["chosen" if example.kind == "dpo" else "completion"]
        messages = [*fields["prompt"], *answer]
    if len(messages) < 2 or messages[-1]["role"] != "assistant":
        raise Invalid("no_question", "there is no question before the last answer")
    return messages


def _judge(findings: Findings, bad_rows: str, files: list[str], questions: list[Question]) -> None:
    # An unwanted answer is no fault of the data.
    bad = sum(count for reason, count in findings.dropped.items() if reason != "unwanted_answer")
    if questions and (bad == 0 or bad_rows == "drop"):
        return
    if findings.records_raw == 0:
        raise no_record(files)
    reasons = ", ".join(f"{name}: {count}" for name, count in findings.dropped.most_common())
    shown = "; ".join(findings.places[name][0] for name, _ in findings.dropped.most_common(5))
    raise bad_dataset(
        f"{bad or findings.records_raw} of {findings.records_raw} records cannot be used ({reasons}). {shown}."
    )


def _fingerprint(questions: list[Question]) -> str:
    digest = hashlib.sha256()
    for question in questions:
        content = [question.messages, question.tools, question.reference]
        digest.update(json.dumps(content, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()
