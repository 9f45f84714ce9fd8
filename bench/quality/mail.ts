/**
 * Measures what readers make of mail beside what others say is in it: Python's `email` and `mailbox` for EML and mbox, the
 * property streams themselves for MSG (mail/witness.py, which needs olefile for those; `npm run bench:peers` brings it).
 *
 *     node bench/quality/mail.ts [--corpus FOLDER] [--report FILE] [--files]
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { convertFiles } from "../peers/convert-files.ts";
import { labelOf, type Peer } from "../peers/peer.ts";
import { findPeers, ours, peersFolder } from "../peers/peers.ts";
import { type MailTruth, scoreMail, type MailScore } from "./mail/score-mail.ts";

const { values: options } = parseArgs({
  options: {
    corpus: { type: "string", default: join(import.meta.dirname, "../../../shared/corpus") },
    files: { type: "boolean", default: false },
    report: { type: "string" },
  },
});
const types = ["eml", "msg", "mbox"];
// Unstructured reads mail with the spaCy model that peers.ts tells of, and without it hardly a file.
const readsMail = ["markitdown", "docling"];

const truths = readTruths(globSync(join(options.corpus, `**/*.{${types.join(",")}}`)).toSorted());
if (truths.size === 0) {
  console.error(`Nothing measured: there is no mail in ${options.corpus}.`);
  process.exit(2);
}
const peers = [ours, ...findPeers().filter(({ id, missing }) => readsMail.includes(id) && missing === undefined)];
const scores: (MailScore & { readonly reader: string; readonly path: string })[] = [];
for (const peer of peers) await measure({ ...peer, reads: types });
const report = writeReport();
console.log(report);
if (options.files) for (const one of scores) console.log(JSON.stringify({ ...one, path: basename(one.path) }));
if (options.report !== undefined) writeFileSync(options.report, report);

function readTruths(paths: readonly string[]): ReadonlyMap<string, readonly MailTruth[]> {
  const withOlefile = join(peersFolder, "python-markitdown/bin/python");
  const python = existsSync(withOlefile) ? withOlefile : "python3";
  const args = [join(import.meta.dirname, "mail/witness.py"), ...paths];
  const lines = execFileSync(python, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const known = new Map<string, readonly MailTruth[]>();
  for (const line of lines
    .trim()
    .split("\n")
    .filter((one) => one !== "")) {
    const { path, messages = [] } = JSON.parse(line) as { path: string; messages?: MailTruth[] };
    // A file in which the witness finds nothing, or bytes of another encoding, tells nothing.
    if (/\\u(?:0000|fffd)/.test(line)) continue;
    if (messages.some(({ subject, bodies }) => subject !== "" || bodies.join("").trim() !== ""))
      known.set(path, messages);
  }
  return known;
}

async function measure(peer: Peer): Promise<void> {
  const answers = await convertFiles(peer, [...truths.keys()]);
  for (const [path, truth] of truths) {
    scores.push({ reader: labelOf(peer), path, ...scoreMail(truth, answers.get(path)?.text) });
  }
}

function writeReport(): string {
  const readers = [...new Set(scores.map(({ reader }) => reader))];
  return [
    "# Mail: what is read of what is there",
    "",
    "Every message of a corpus of test files beside a witness that is none of the readers: Python's `email` and `mailbox` for EML and",
    "mbox, the property streams for MSG. People: names and addresses of From, To, Cc and Bcc that the answer has. Body: words of the",
    "body that the answer has in their order, of the alternative that it follows best. Attachments: their names. Own words: share of",
    "the answer's words that stand in the message, which falls with raw source and text written twice; of files whose attachments",
    "are text or pictures; dates are left aside. Unstructured takes no part, because it reads mail with a spaCy model that it downloads",
    "from GitHub; officeparser reads no mail. MarkItDown gives EML and mbox as their source, in which everything is found. A file that a reader cannot read counts as 0; –: a type of which it reads no file.",
    "",
    "Written by `node bench/quality/mail.ts --report docs/benchmarks/mail.md`.",
    "",
    `| Type | Files | Measure | ${readers.join(" | ")} |`,
    `| --- | --- | --- | ${readers.map(() => "---").join(" | ")} |`,
    ...types.flatMap((type) => rowsOf(type, readers)),
    "",
  ].join("\n");
}

function rowsOf(type: string, readers: readonly string[]): string[] {
  const mine = scores.filter(({ path }) => extname(path) === `.${type}`);
  return (["subject", "people", "body", "attachments", "ownWords"] as const).flatMap((measured) => {
    const files = new Set(mine.filter((one) => one[measured] !== undefined).map(({ path }) => path));
    const cells = readers.map((reader) => {
      const own = mine.filter((one) => one.reader === reader && files.has(one.path));
      if (mine.every((one) => one.reader !== reader || !one.isRead)) return "–";
      return (own.reduce((sum, one) => sum + (one[measured] ?? 0), 0) / own.length).toFixed(3);
    });
    const title = measured === "ownWords" ? "own words" : measured;
    return files.size === 0 ? [] : [`| ${type} | ${files.size} | ${title} | ${cells.join(" | ")} |`];
  });
}
