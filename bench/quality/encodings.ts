/**
 * Scores the decoding of text in unmarked legacy encodings: each file of a corpus lies in a folder named after its encoding,
 * and must decode to what that encoding makes of it. Usage: node bench/quality/encodings.ts [FOLDER] [--blind]; `--blind` wipes
 * the names of encodings that files declare, so that the bytes alone tell.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeText } from "../../apps/parser/src/text/decode-text.ts";
import { findDecoder } from "../../apps/parser/src/text/text-decoder.ts";

const isBlind = process.argv.includes("--blind");
const folder =
  process.argv.slice(2).find((word) => !word.startsWith("--")) ??
  join(import.meta.dirname, "../../../shared/corpus/encodings");
const languages = /-(?:croatian|czech|hungarian|slovak|slovene|bulgarian|russian|greek|turkish|romanian|hebrew)$/;

interface Score {
  readonly encoding: string;
  files: number;
  right: number;
  ms: number;
  readonly misses: string[];
}

const scores = readdirSync(folder).flatMap((name) => score(name) ?? []);
const files = scores.reduce((sum, entry) => sum + entry.files, 0);
const right = scores.reduce((sum, entry) => sum + entry.right, 0);

process.stdout.write(`${"encoding".padEnd(24)} files  right     ms\n`);
for (const { encoding, files: count, right: good, ms, misses } of scores) {
  const row = [encoding.padEnd(24), `${count}`.padStart(5), `${good}`.padStart(6), ms.toFixed(0).padStart(6)].join(" ");
  process.stdout.write(`${row} ${misses.join(", ")}\n`);
}
process.stdout.write(`all: ${right} of ${files} (${((100 * right) / files).toFixed(1)} %)\n`);

// Folders without an encoding's name are left out.
function score(name: string): Score | undefined {
  const encoding = name.replace(languages, "");
  const truth = findDecoder(encoding);
  if (truth === undefined) return undefined;
  const entry: Score = { encoding: name, files: 0, right: 0, ms: 0, misses: [] };
  for (const file of readdirSync(join(folder, name))) {
    const bytes = prepared(readFileSync(join(folder, name, file)));
    const startedAt = performance.now();
    const decoded = decodeText(bytes);
    entry.ms += performance.now() - startedAt;
    entry.files++;
    const isRight = comparable(decoded.text) === comparable(wideTruth(bytes, encoding) ?? truth.decode(bytes));
    if (isRight) entry.right++;
    else entry.misses.push(`${file} as ${decoded.encoding}`);
  }
  return entry;
}

// Bytes stay where they are: the name is overwritten with spaces.
function prepared(bytes: Buffer): Buffer {
  if (!isBlind) return bytes;
  const head = bytes.subarray(0, 4096).toString("latin1");
  const wiped = head.replaceAll(
    /((?:encoding|charset|coding)\s{0,3}[=:]\s{0,3}["']?)([\w-]+)/gi,
    (_, before: string, label: string) => before + " ".repeat(label.length),
  );
  return Buffer.concat([Buffer.from(wiped, "latin1"), bytes.subarray(4096)]);
}

// `UTF-16` and `UTF-32` leave the byte order to the mark.
function wideTruth(bytes: Uint8Array, encoding: string): string | undefined {
  if (!/^utf-(?:16|32)$/i.test(encoding)) return undefined;
  const isBig = bytes[0] === 0xfe || bytes[0] === 0;
  return findDecoder(`${encoding.toLowerCase()}${isBig ? "be" : "le"}`)?.decode(bytes);
}

function comparable(text: string): string {
  return text.replace(/^\u{feff}/u, "");
}
