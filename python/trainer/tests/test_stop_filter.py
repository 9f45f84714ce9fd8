"""Stop strings are never told, not even their beginning, however the text is cut."""

import random
import unittest

from attune_trainer.serving.stop_filter import StopFilter


def feed(stops: list[str], pieces: list[str]) -> tuple[str, bool]:
    stop_filter = StopFilter(stops)
    told = "".join(stop_filter.add(piece) for piece in pieces)
    return told + stop_filter.end(), stop_filter.stopped


class StopFilterTest(unittest.TestCase):
    def test_ends_before_the_stop_string(self) -> None:
        self.assertEqual(feed(["\nUser:"], ["Yes.\nUser: and"]), ("Yes.", True))

    def test_spans_pieces(self) -> None:
        self.assertEqual(feed(["STOP"], ["a", "S", "T", "O", "P", "b"]), ("a", True))

    def test_never_tells_a_beginning_of_it(self) -> None:
        stop_filter = StopFilter(["END"])
        self.assertEqual([stop_filter.add(piece) for piece in "aEN"], ["a", "", ""])
        self.assertEqual(stop_filter.add("d"), "ENd")

    def test_tells_at_the_end_what_turned_out_to_be_none(self) -> None:
        self.assertEqual(feed(["END"], ["it is EN"]), ("it is EN", False))

    def test_keeps_back_no_more_than_it_must(self) -> None:
        stop_filter = StopFilter(["aab"])
        self.assertEqual([stop_filter.add(piece) for piece in ("aa", "a", "a", "b")], ["", "a", "a", ""])
        self.assertTrue(stop_filter.stopped)

    def test_of_several_the_one_that_is_whole_first(self) -> None:
        self.assertEqual(feed(["abcd", "bc"], ["xabcd"]), ("xa", True))

    def test_of_two_that_end_together_the_longer_one(self) -> None:
        self.assertEqual(feed(["b", "ab"], ["xab"]), ("x", True))

    def test_how_the_text_is_cut_makes_no_difference(self) -> None:
        rng = random.Random(3)
        for _ in range(3000):
            stops = ["".join(rng.choices("ab中", k=rng.randrange(1, 5))) for _ in range(rng.randrange(4))]
            text = "".join(rng.choices("ab中", k=rng.randrange(14)))
            cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randrange(5)))
            pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
            told, stopped = feed(stops, pieces)
            self.assertEqual((told, stopped), feed(stops, list(text)), (stops, pieces))
            self.assertEqual(stopped, any(stop in text for stop in stops))
            self.assertFalse(any(stop in told for stop in stops), (stops, text))
            self.assertTrue(text.startswith(told))
            if not stopped:
                self.assertEqual(told, text)


if __name__ == "__main__":
    unittest.main()
