"""Records in files, and why they are left out."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from attune_trainer.data.load import Loaded, load_data
from attune_trainer.spec import check_spec


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


class DataTestCase(unittest.TestCase):
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
