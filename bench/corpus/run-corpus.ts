/**
 * `npm run corpus`: parses every file of the corpus through a service of its own, twice, and writes docs/benchmarks/corpus.md.
 * The corpus is looked for in CORPUS_DIR, else beside the repository; without it the run says so and does nothing.
 * Fails when the service crashed, a call had no answer, a failure had no documented reason, an error stood in a content, or
 * the second run gave other bytes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { startDocparser } from "@attune/testkit/start-docparser.ts";
import { type CorpusRun, renderReport } from "./corpus-report.ts";
import { type CorpusOutcome, isDocumented, parseCorpus } from "./parse-corpus.ts";

const root = join(import.meta.dirname, "../..");
const corpus = resolve(process.env["CORPUS_DIR"] ?? join(root, "../shared/corpus"));
const only = process.argv[2] ?? "";

if (existsSync(corpus)) process.exitCode = await run();
else console.log(`There is no corpus at ${corpus}: nothing is parsed.`);

async function run(): Promise<number> {
  const files = listFiles(corpus).filter((file) => file.startsWith(only));
  await using service = await startDocparser({ PARSER_FILE_ROOTS: corpus, PARSER_LOG_LEVEL: "warn" });
  let crashes = 0;
  void service.ended.then(() => crashes++);
  const client = createDocparserClient(service.address);
  const outcomes = await parseCorpus(client, corpus, files);
  const again = await parseCorpus(client, corpus, files);
  client.close();
  const changed = again.filter(({ hash }, index) => hash !== outcomes[index]?.hash).map(({ file }) => file);
  const date = new Date().toISOString().slice(0, 10);
  const corpusRun: CorpusRun = { outcomes, changed, crashes, date, peakServiceMib: peakMib(service.pid) };
  write(renderReport(corpusRun), outcomes);
  return isGood(corpusRun) ? 0 : 1;
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

function write(report: string, outcomes: readonly CorpusOutcome[]): void {
  mkdirSync(join(root, ".work"), { recursive: true });
  writeFileSync(join(root, ".work/corpus.json"), JSON.stringify(outcomes, null, 1));
  if (only === "") {
    mkdirSync(join(root, "docs/benchmarks"), { recursive: true });
    writeFileSync(join(root, "docs/benchmarks/corpus.md"), report);
  }
  console.log(report.split("## Empty results")[0]);
}

function isGood({ outcomes, changed, crashes }: CorpusRun): boolean {
  const isClean = ({ isSuccess, reason, hasErrorInContent }: CorpusOutcome): boolean =>
    (isSuccess || isDocumented(reason)) && !hasErrorInContent;
  return crashes === 0 && changed.length === 0 && outcomes.every(isClean);
}
