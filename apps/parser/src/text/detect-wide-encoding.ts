import { type EncodingDecoder, findDecoder } from "./text-decoder.ts";

const sampleBytes = 16 * 1024;
// No text has these: controls, private use, noncharacters, lone surrogates, unassigned code points.
const impossible = /(?![\t\n\v\f\r])\p{Cc}|[\p{Co}\p{Cn}\p{Cs}\u{fffd}]/u;
const expected = /[ \n\u3002\u3001\uff0c\p{L}]/u;

/** UTF-16 or UTF-32 without a byte order mark, told by where its zeros stand; undefined when the bytes are neither. */
export function detectWideEncoding(bytes: Uint8Array): EncodingDecoder | undefined {
  const sample = bytes.subarray(
    0,
    Math.min(sampleBytes, bytes.length - (bytes.length % 4 === 0 ? 0 : bytes.length % 2)),
  );
  if (sample.length < 4) return undefined;
  const zeros = countZeros(sample);
  const total = zeros[0] + zeros[1] + zeros[2] + zeros[3];
  if (total === 0) return hasControls(sample) ? zeroless(sample) : undefined;
  const label = byZeros(zeros, sample.length);
  return label !== undefined && isClean(sample, label) ? findDecoder(label) : undefined;
}

type Zeros = readonly [number, number, number, number];

function countZeros(sample: Uint8Array): Zeros {
  const zeros: [number, number, number, number] = [0, 0, 0, 0];
  for (let at = 0; at < sample.length; at++) {
    if (sample[at] === 0) zeros[(at & 3) as 0]++;
  }
  return zeros;
}

// UTF-32 has a zero in every fourth byte; UTF-16 has its zeros in one half of the pairs.
function byZeros(zeros: Zeros, length: number): string | undefined {
  const quarter = Math.floor(length / 4);
  if (length % 4 === 0 && zeros[3] === quarter && zeros[2] > quarter * 0.8) return "utf-32le";
  if (length % 4 === 0 && zeros[0] === quarter && zeros[1] > quarter * 0.8) return "utf-32be";
  const even = zeros[0] + zeros[2];
  const odd = zeros[1] + zeros[3];
  if (odd > even * 10 && odd >= length / 200) return "utf-16le";
  return even > odd * 10 && even >= length / 200 ? "utf-16be" : undefined;
}

// CJK text in UTF-16 may have no zero at all, but its bytes include controls, which no legacy text has.
function zeroless(sample: Uint8Array): EncodingDecoder | undefined {
  const label = ["utf-16le", "utf-16be"].find((name) => isClean(sample, name) && isUniform(sample, name));
  return label === undefined ? undefined : findDecoder(label);
}

function hasControls(sample: Uint8Array): boolean {
  return sample.some((byte) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b && byte !== 0x1a);
}

function isClean(sample: Uint8Array, label: string): boolean {
  const text = findDecoder(label)?.decode(sample, { isPart: true }) ?? "";
  return expected.test(text) && !impossible.test(text);
}

// Random bytes make letters of dozens of scripts; text keeps to its own.
function isUniform(sample: Uint8Array, label: string): boolean {
  const text = findDecoder(label)?.decode(sample, { isPart: true }) ?? "";
  const others = text.match(
    /[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}]/gu,
  );
  return (others?.length ?? 0) <= text.length * 0.05;
}
