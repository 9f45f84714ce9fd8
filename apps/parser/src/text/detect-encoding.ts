import { createRequire } from "node:module";
import type * as Jschardet from "jschardet";
import { judgeDecoding } from "./judge-decoding.ts";
import { sampleLines } from "./sample-lines.ts";
import { type EncodingDecoder, findDecoder } from "./text-decoder.ts";

const maxSampleBytes = 24 * 1024;
const maxJudgedBytes = 6 * 1024;
const maxCandidates = 10;

/*
 * How often an encoding is met in files that are not UTF-8, relative to the usual code pages of Windows and the web. It decides
 * short texts, where letters alone do not.
 */
const usual =
  /^(?:windows-125[0-7]|windows-874|gb18030|big5|shift_jis|euc-jp|euc-kr|koi8-[ru]|x-mac-cyrillic|iso-8859-[25789]|iso-8859-1|iso-2022-jp|utf-)/;
const known = /^(?:ibm866|cp8(?:50|52|55|66)|cp437|macintosh|windows-1258|iso-8859-1[0-6]|johab|iso-8859-6)$/;

/** The encoding that makes the most plausible text of the bytes, which are neither UTF-8 nor marked; undefined: none does. */
export function detectEncoding(bytes: Uint8Array): EncodingDecoder | undefined {
  const sample = sampleLines(bytes, maxSampleBytes);
  const judged = sampleLines(sample, maxJudgedBytes);
  const scored = candidates(sample).map(({ decoder, confidence }) => ({
    decoder,
    score:
      Math.max(confidence + 0.015, writtenHabit(decoder, judged)) *
      frequency(decoder.label) *
      plausibility(decoder, judged),
  }));
  return scored.sort((a, b) => b.score - a.score)[0]?.decoder;
}

interface Candidate {
  readonly decoder: EncodingDecoder;
  readonly confidence: number;
}

// Loaded when a file wants it, because its tables take as long to load as a short document to read.
function detectAll(sample: Uint8Array): readonly { readonly encoding: string | null; readonly confidence: number }[] {
  const { detectAll: detect } = createRequire(import.meta.url)("jschardet") as typeof Jschardet;
  return detect(sample, { minimumThreshold: 0 });
}

// Encodings that share a decoder count once, with the higher confidence.
function candidates(sample: Uint8Array): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { encoding, confidence } of detectAll(sample)) {
    const decoder = encoding === null ? undefined : findDecoder(encoding);
    if (decoder === undefined || decoder.label === "utf-8" || found.has(decoder.label)) continue;
    found.set(decoder.label, { decoder, confidence });
    if (found.size === maxCandidates) break;
  }
  for (const label of [
    "windows-1252",
    "windows-1250",
    "windows-1251",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "windows-874",
  ]) {
    const decoder = findDecoder(label);
    if (decoder !== undefined && !found.has(label)) found.set(label, { decoder, confidence: 0 });
  }
  return [...found.values()];
}

const commonHangul = /[이다는의에을고가지하한은로를도기사서대인아어나리]/gu;
const hiragana = /\p{Script=Hiragana}/gu;
const beyondAscii = /[^\p{ASCII}]/gu;

/*
 * A few damaged bytes make the statistics give up on a multi-byte encoding; the letters that every Korean or Japanese text is
 * full of speak for it still. Returned on the scale of a confidence.
 */
function writtenHabit(decoder: EncodingDecoder, sample: Uint8Array): number {
  const isKorean = decoder.label === "euc-kr";
  if (!isKorean && decoder.label !== "shift_jis" && decoder.label !== "euc-jp") return 0;
  const text = decoder.decode(sample, { isPart: true });
  const foreign = text.match(beyondAscii)?.length ?? 0;
  const habitual = text.match(isKorean ? commonHangul : hiragana)?.length ?? 0;
  return foreign >= 20 && habitual / foreign > (isKorean ? 0.15 : 0.25) ? 0.25 : 0;
}

function frequency(label: string): number {
  if (usual.test(label)) return 1;
  return known.test(label) ? 0.7 : 0.4;
}

function plausibility(decoder: EncodingDecoder, sample: Uint8Array): number {
  const text = decoder.decode(sample, { isPart: true });
  const { badCount, implausibility } = judgeDecoding(text);
  return (1 - implausibility) ** 2 * (1 - Math.min(1, (8 * badCount) / text.length)) + 0.001;
}
