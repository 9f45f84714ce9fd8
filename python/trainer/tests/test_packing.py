"""What is cut and what teaches nothing is counted in packed runs as in others."""

import json
import unittest
from typing import Any
from unittest import mock

from attune_trainer import models, recipes

from . import run_kit

COUNTS = ("truncated", "fully_masked", "tokens", "train")


def load_as_unpacked(spec: dict[str, Any], precision: Any, load: Any = models.load_model) -> Any:
    return load({**spec, "training": {**spec["training"], "packing": False}}, precision)


class Packing(unittest.TestCase):
    def counts(self, rows: list[dict[str, Any]], packing: bool, **spec: Any) -> dict[str, Any]:
        folder = run_kit.make_run(rows, spec, max_steps=1, max_length=64, packing=packing)
        # Packed answers see one another without flash_attn, which changes losses and not counts.
        with mock.patch.object(recipes, "check_recipe"), mock.patch.object(models, "load_model", load_as_unpacked):
            self.assertEqual(run_kit.run_here(folder), 0, json.dumps(run_kit.events(folder, "error")))
        return run_kit.only(folder, "dataset")

    def test_answers_are_counted_as_in_other_runs(self) -> None:
        rows = [{"instruction": f"Q{number}?", "output": "word " * (200 if number < 6 else 3)} for number in range(10)]
        rows.append({"instruction": "long " * 120, "output": "never learned"})
        apart, packed = self.counts(rows, False), self.counts(rows, True)
        self.assertEqual((apart["truncated"], apart["fully_masked"], apart["train"]), (7, 1, 10))
        self.assertEqual({name: packed[name] for name in COUNTS}, {name: apart[name] for name in COUNTS})
        self.assertGreater(packed["packed_sequences"], 0)

    def test_of_wrapped_texts_nothing_is_cut(self) -> None:
        found = self.counts([{"text": "word " * 200}] * 6, True, method="cpt")
        self.assertEqual((found["truncated"], found["fully_masked"], found["train"]), (0, 0, 6))
        self.assertGreater(found["tokens"], 6 * 64)


if __name__ == "__main__":
    unittest.main()
