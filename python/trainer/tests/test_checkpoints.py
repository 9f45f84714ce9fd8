"""Which checkpoints are kept, and which a run goes on from."""

from __future__ import annotations

import json
import tempfile
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from attune_trainer import checkpoints
from attune_trainer.checkpoints import SENTINEL, Identity, choose, rotate, set_aside

IDENTITY = Identity("spec", "data", 1)
WEIGHTS = "adapter_model.safetensors"


class Killed(BaseException):
    """In the place of a signal that nothing outlives."""


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory(prefix="attune-checkpoints-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name) / "checkpoints"
        self.folder.mkdir()

    def write(self, step: int, *, is_torn: bool = False, folder: Path | None = None) -> Path:
        one = (folder or self.folder) / f"checkpoint-{step}"
        checkpoints.begin(one)
        for name in ("trainer_state.json", "optimizer.pt", "scheduler.pt", "rng_state.pth", WEIGHTS):
            (one / name).write_text(f"{name} of {step}")
        if not is_torn:
            checkpoints.complete(one, IDENTITY)
        return one

    def names(self, folder: Path | None = None) -> list[str]:
        return sorted(one.name for one in (folder or self.folder).iterdir())

    def found(self) -> str | None:
        one = choose("auto", self.folder, IDENTITY)
        return None if one is None else one.name


class Rotation(Folder):
    def test_torn_ones_take_nobodys_place_and_go_away(self) -> None:
        self.write(400)
        self.write(800, is_torn=True)
        rotate(self.write(406), 1, None, 1)
        self.assertEqual(self.names(), ["checkpoint-406"])

    def test_the_one_that_was_just_saved_stays_whatever_its_step(self) -> None:
        self.write(8)
        self.write(12)
        rotate(self.write(4), 2, None, 1)
        self.assertEqual(self.names(), ["checkpoint-12", "checkpoint-4"])

    def test_the_best_stays_beside_the_newest(self) -> None:
        best = self.write(2)
        for step in (4, 6):
            self.write(step)
        rotate(self.write(8), 2, str(best), 1)
        self.assertEqual(self.names(), ["checkpoint-2", "checkpoint-6", "checkpoint-8"])

    def test_those_of_two_processes_are_whole_with_two_states(self) -> None:
        one = self.write(2)
        (one / "rng_state.pth").rename(one / "rng_state_0.pth")
        (one / "rng_state_1.pth").write_text("state")
        (one / checkpoints.STAMP).write_text(json.dumps({**IDENTITY.as_json(), "world_size": 2}))
        self.assertTrue(checkpoints.is_whole(one, 1))


class SettingAside(Folder):
    def test_a_run_that_begins_anew_finds_none(self) -> None:
        for step in (8, 12):
            self.write(step)
        self.write(16, is_torn=True)
        self.assertIsNone(choose("never", self.folder, IDENTITY))
        aside = set_aside(self.folder, None)
        assert aside is not None
        self.assertEqual(self.names(), [aside.name])
        self.assertRegex(aside.name, r"^earlier-\d{8}T\d{6}Z$")
        self.assertEqual(self.names(aside), ["checkpoint-12", "checkpoint-8"])
        self.assertEqual((aside / "checkpoint-8" / WEIGHTS).read_text(), f"{WEIGHTS} of 8")
        self.assertIsNone(self.found())
        self.write(4)
        self.assertEqual(self.found(), "checkpoint-4")
        # A second time within the same second.
        again = set_aside(self.folder, None)
        assert again is not None
        self.assertEqual(self.names(again), ["checkpoint-4"])
        self.assertEqual(self.names(aside), ["checkpoint-12", "checkpoint-8"])

    def test_a_run_that_goes_on_from_an_older_one_keeps_those_before_it(self) -> None:
        for step in (2, 4, 6, 8):
            self.write(step)
        aside = set_aside(self.folder, self.folder / "checkpoint-4")
        assert aside is not None
        self.assertEqual(self.names(aside), ["checkpoint-6", "checkpoint-8"])
        self.assertEqual(self.found(), "checkpoint-4")

    def test_a_run_that_goes_on_from_another_folder_keeps_none(self) -> None:
        other = self.folder.with_name("other")
        named = self.write(4, folder=other)
        self.write(2)
        aside = set_aside(self.folder, named)
        assert aside is not None
        self.assertEqual((self.names(aside), self.found()), (["checkpoint-2"], None))
        self.assertTrue(named.exists())

    def test_a_run_that_goes_on_from_its_newest_loses_only_torn_ones(self) -> None:
        self.write(2)
        self.write(4)
        self.write(6, is_torn=True)
        # What a kill leaves before the mark is there.
        (self.folder / "checkpoint-8").mkdir()
        self.assertIsNone(set_aside(self.folder, choose("auto", self.folder, IDENTITY)))
        self.assertEqual(self.names(), ["checkpoint-2", "checkpoint-4"])

    def test_what_came_from_elsewhere_is_not_removed(self) -> None:
        foreign = self.write(9)
        (foreign / checkpoints.STAMP).unlink()
        aside = set_aside(self.folder, None)
        assert aside is not None
        self.assertEqual(self.names(aside), ["checkpoint-9"])

    def test_killed_at_any_moment_all_are_moved_or_none(self) -> None:
        old = [f"checkpoint-{step}" for step in (2, 4, 6)]
        outcomes = []
        for count in range(100):
            for one in list(self.folder.iterdir()):
                checkpoints.remove(one)
            for step in (2, 4, 6):
                self.write(step)
            with dying_after(count) as has_died:
                set_aside(self.folder, None)
            found = self.found()
            outcomes.append(found)
            names = [name for name in self.names() if not name.startswith(".")]
            if found is None:
                self.assertEqual(len(names), 1)
                self.assertEqual(self.names(self.folder / names[0]), old)
            else:
                self.assertEqual((found, names), ("checkpoint-6", old))
            if not has_died():
                break
        # It was killed before and after the moment from which on they are moved.
        self.assertGreater(outcomes.count("checkpoint-6"), 1)
        self.assertGreater(outcomes.count(None), 5)
        self.assertIsNone(outcomes[-1])


@contextmanager
def dying_after(count: int) -> Iterator[Callable[[], bool]]:
    """Ends what changes files before its change of that number."""
    done = 0

    def counting(real: Callable[..., object]) -> Callable[..., object]:
        def change(*args: object, **options: object) -> object:
            nonlocal done
            done += 1
            if done > count:
                raise Killed
            return real(*args, **options)

        return change

    names = ("rename", "mkdir", "unlink", "write_text")
    patches = [mock.patch.object(Path, name, counting(getattr(Path, name))) for name in names]
    patches.append(mock.patch("attune_trainer.checkpoints._sync", counting(checkpoints._sync)))
    try:
        for patch in patches:
            patch.start()
        yield lambda: done > count
    except Killed:
        pass
    finally:
        for patch in patches:
            patch.stop()


class Choice(Folder):
    def test_a_torn_one_is_not_gone_on_from(self) -> None:
        self.write(2)
        self.write(4, is_torn=True)
        self.assertTrue((self.folder / "checkpoint-4" / SENTINEL).exists())
        self.assertEqual(self.found(), "checkpoint-2")


if __name__ == "__main__":
    unittest.main()
