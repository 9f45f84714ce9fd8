import { expect, test } from "vitest";
import * as fc from "fast-check";
import { type Cue, joinCues } from "./join-cues.ts";

const cue = (startMs: number, endMs: number, ...lines: string[]): Cue => ({
  startMs,
  endMs,
  lines: lines.map((text) => ({ text })),
});

test("captions that go on become one paragraph", () => {
  expect(joinCues([cue(0, 900, "It was"), cue(1000, 2000, "a dark night.")])).toEqual([
    { text: "It was a dark night." },
  ]);
});

test("a long pause begins a paragraph", () => {
  expect(joinCues([cue(0, 900, "One"), cue(9000, 9900, "two")])).toHaveLength(2);
});

test("lines that roll up are kept once", () => {
  const cues = [
    cue(0, 1000, "a b"),
    cue(1000, 2000, "a b", "c d"),
    cue(2000, 3000, "c d", "e"),
    cue(3000, 4000, "e", "f"),
  ];

  expect(joinCues(cues)).toEqual([{ text: "a b c d e f" }]);
});

test("what is said twice is kept twice where captions do not roll", () => {
  expect(joinCues([cue(0, 1000, "No."), cue(1000, 2000, "No.")])).toEqual([{ text: "No. No." }]);
});

test("another speaker begins a paragraph", () => {
  const by = (speaker: string, text: string): Cue => ({ startMs: 0, endMs: 1, lines: [{ speaker, text }] });

  expect(joinCues([by("A", "x"), by("B", "y")])).toEqual([
    { speaker: "A", text: "x" },
    { speaker: "B", text: "y" },
  ]);
});

test("every word of captions that do not roll is kept in its order", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 30 }), (words) => {
      const cues = words.map((text, index) => cue(index * 1000, index * 1000 + 900, text));
      const kept = joinCues(cues).map(({ text }) => text);
      expect(kept.join(" ").split(" ")).toEqual(words);
    }),
  );
});
