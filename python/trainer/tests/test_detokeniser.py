"""The text of an answer while it is made: exact, at once, and in whole characters."""

import random
import unittest

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from attune_trainer.serving.detokeniser import Detokeniser, byte_of_each_letter
from attune_trainer.testing.tiny_model import make_tokenizer

SAMPLES = (
    "The river stands in the city.",
    "模型训练需要数据。",
    "Äpfel, Öl und Übermut – naïve café",
    "👩‍👩‍👧‍👦 family, 🇩🇪 flag, 👍🏽 thumb",
    "日本語とかな、한국어, ไทย, العربية",
    " leading, trailing  and   many spaces \n\n\ttabs ",
    "\N{REPLACEMENT CHARACTER} itself \N{REPLACEMENT CHARACTER}",
)


def spell(byte: int) -> str:
    return f"<0x{byte:02X}>"


def sentencepiece_like(strips: bool) -> PreTrainedTokenizerFast:
    """As those of Llama 2 and Mistral (strips the first space) and Gemma (does not): bytes for what has no piece."""
    pieces = ["<unk>", "<s>", "</s>", *map(spell, range(256)), "▁", "▁the", "the", "▁city", "中", "▁中", "é", "▁<0x41>"]
    backend = Tokenizer(
        models.BPE({piece: id for id, piece in enumerate(pieces)}, [], byte_fallback=True, unk_token="<unk>")
    )
    backend.normalizer = normalizers.Replace(" ", "▁")
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    backend.decoder = decoders.Sequence([*steps, decoders.Strip(content=" ", left=1)] if strips else steps)
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


def word_piece() -> PreTrainedTokenizerFast:
    pieces = ["[UNK]", "hello", "world", "##ly", "##s", "中", "文", "."]
    backend = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(cleanup=False)
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]")


def pieces_of(tokenizer, ids: list[int], cut_off: bool = False) -> list[str]:
    detokeniser = Detokeniser(tokenizer)
    return [*(detokeniser.add(id) for id in ids), detokeniser.end(cut_off)]


def whole(tokenizer, ids: list[int]) -> str:
    return tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)


class ByteLevel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.tokenizer = make_tokenizer()

    def byte_ids(self, data: bytes) -> list[int]:
        letter_of = {byte: letter for letter, byte in byte_of_each_letter().items()}
        return [self.tokenizer.convert_tokens_to_ids(letter_of[byte]) for byte in data]

    def test_gives_the_text_that_went_in(self) -> None:
        for text in SAMPLES:
            ids = self.tokenizer(text)["input_ids"]
            self.assertEqual("".join(pieces_of(self.tokenizer, ids)), text)

    def test_is_what_the_tokenizer_decodes_whatever_the_tokens_are(self) -> None:
        rng = random.Random(1)
        for _ in range(300):
            ids = [rng.randrange(len(self.tokenizer) + 5) for _ in range(rng.randrange(40))]
            self.assertEqual("".join(pieces_of(self.tokenizer, ids)), whole(self.tokenizer, ids))

    def test_tells_a_character_with_its_last_byte_and_not_before(self) -> None:
        for character in ("é", "中", "👍"):
            ids = self.byte_ids(character.encode())
            expected = ["" for _ in ids[1:]] + [character, ""]
            self.assertEqual(pieces_of(self.tokenizer, ids), expected)

    def test_waits_for_no_space(self) -> None:
        ids = self.byte_ids(b"ab")
        self.assertEqual(pieces_of(self.tokenizer, ids), ["a", "b", ""])

    def test_tells_what_is_whole_before_half_a_character(self) -> None:
        ids = self.byte_ids("a中".encode()[:3])
        self.assertEqual(pieces_of(self.tokenizer, ids), ["a", "", "", "\N{REPLACEMENT CHARACTER}"])

    def test_leaves_out_half_a_character_where_the_answer_was_cut(self) -> None:
        ids = self.byte_ids("中文".encode()[:5])
        self.assertEqual("".join(pieces_of(self.tokenizer, ids, cut_off=True)), "中")

    def test_leaves_out_special_tokens_even_between_the_bytes_of_a_character(self) -> None:
        special = self.tokenizer.convert_tokens_to_ids("<|im_start|>")
        first, *rest = self.byte_ids("中".encode())
        self.assertEqual("".join(pieces_of(self.tokenizer, [special, first, special, *rest, special])), "中")

    def test_writes_added_tokens_that_are_not_special_as_they_are(self) -> None:
        tokenizer = make_tokenizer()
        tokenizer.add_tokens([AddedToken("<think now>", special=False), AddedToken("思考", special=False)])
        ids = tokenizer("a<think now>b思考")["input_ids"]
        self.assertEqual("".join(pieces_of(tokenizer, ids)), "a<think now>b思考")
        self.assertIn("思考", pieces_of(tokenizer, ids))


class ByteFallback(unittest.TestCase):
    def test_is_what_the_tokenizer_decodes_where_the_bytes_are_text(self) -> None:
        rng = random.Random(2)
        for strips in (True, False):
            tokenizer = sentencepiece_like(strips)
            plain = [
                tokenizer.convert_tokens_to_ids(piece) for piece in ("▁", "▁the", "the", "▁city", "中", "▁中", "é")
            ]
            bytes_of = [[3 + byte for byte in character.encode()] for character in ("é", "ß", "文", "👍", "a")]
            for _ in range(300):
                runs = [rng.choice([*([id] for id in plain), *bytes_of, [1], [2]]) for _ in range(rng.randrange(12))]
                ids = [id for run in runs for id in run]
                self.assertEqual("".join(pieces_of(tokenizer, ids)), whole(tokenizer, ids), ids)

    def test_takes_off_the_first_space_only(self) -> None:
        tokenizer = sentencepiece_like(True)
        the = tokenizer.convert_tokens_to_ids("▁the")
        self.assertEqual(pieces_of(tokenizer, [the, the]), ["the", " the", ""])

    def test_tells_a_character_with_its_last_byte(self) -> None:
        tokenizer = sentencepiece_like(False)
        self.assertEqual(pieces_of(tokenizer, [3 + byte for byte in "👍".encode()]), ["", "", "", "👍", ""])

    def test_keeps_what_was_right_when_half_a_character_follows(self) -> None:
        tokenizer = sentencepiece_like(False)
        ids = [3 + byte for byte in "中文".encode()[:4]]
        self.assertEqual("".join(pieces_of(tokenizer, ids)), "中\N{REPLACEMENT CHARACTER}")

    def test_a_piece_that_only_looks_like_a_byte_is_text(self) -> None:
        tokenizer = sentencepiece_like(False)
        ids = [tokenizer.convert_tokens_to_ids("▁<0x41>")]
        self.assertEqual("".join(pieces_of(tokenizer, ids)), " <0x41>")


class OtherDecoders(unittest.TestCase):
    def test_words_and_their_endings(self) -> None:
        tokenizer = word_piece()
        ids = tokenizer("hello worldly 中文 worlds.")["input_ids"]
        self.assertEqual("".join(pieces_of(tokenizer, ids)), whole(tokenizer, ids))
        self.assertEqual(pieces_of(tokenizer, ids)[:3], ["hello", " world", "ly"])


if __name__ == "__main__":
    unittest.main()
