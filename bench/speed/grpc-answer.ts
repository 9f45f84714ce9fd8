/**
 * `npm run bench:grpc`: CPU that the service's own process spends on an answer of 1 MiB, once for a file as long as that
 * (fetching it, handing it to a worker, the text back, the answer) and once for the same text packed into a few KiB, which
 * leaves the answer, beside a bare grpc-js server that answers the same text from memory. Rounds alternate in one run;
 * medians.
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createDocparserClient, type DocparserClient } from "@attune/testkit/docparser-client.ts";
import { cpuSecondsOf } from "@attune/testkit/processes.ts";
import { startDocparser } from "@attune/testkit/start-docparser.ts";

const rounds = 9;
const callsPerRound = 100;

interface Contestant {
  readonly name: string;
  readonly pid: number;
  readonly client: DocparserClient;
  readonly path: string;
  readonly cpuMs: number[];
}

await using service = await startDocparser({ PARSER_LOG_LEVEL: "warn" });
const path = join(service.folder, "text.txt");
const packedPath = `${path}.gz`;
const text = oneMebibyteOfText();
writeFileSync(path, text);
writeFileSync(packedPath, gzipSync(text));
const bare = await startBareServer(path);
const client = createDocparserClient(service.address);
const yardstick = {
  name: "bare grpc-js",
  pid: bare.pid ?? 0,
  client: createDocparserClient(bare.address),
  path,
  cpuMs: [],
};
const contestants: readonly Contestant[] = [
  { name: "file of 1 MiB", pid: service.pid, client, path, cpuMs: [] },
  { name: "file of a few KiB", pid: service.pid, client, path: packedPath, cpuMs: [] },
  yardstick,
];
for (let round = 0; round <= rounds; round++) {
  for (const contestant of contestants) {
    const cpuMs = await measure(contestant);
    if (round > 0) contestant.cpuMs.push(cpuMs);
  }
}
for (const { name, cpuMs } of contestants) {
  const ratio = (median(cpuMs) / median(yardstick.cpuMs)).toFixed(2);
  console.log(`${name}: ${median(cpuMs).toFixed(2)} CPU ms a call (median of ${rounds}), ratio ${ratio}`);
}
for (const contestant of contestants) contestant.client.close();
bare.kill();

async function measure({ client: caller, pid, path: file }: Contestant): Promise<number> {
  const before = cpuSecondsOf(pid);
  for (let call = 0; call < callsPerRound; call++) {
    const { success, content_length } = await caller.parse({ file_url: `file://${file}` });
    if (!success || content_length < 1_000_000) throw new Error("an answer is not the text");
  }
  return ((cpuSecondsOf(pid) - before) * 1000) / callsPerRound;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function oneMebibyteOfText(): string {
  const sentence = "The quick brown fox jumps over the lazy dog, and nobody minds it much. ";
  const paragraph = sentence.repeat(8).trimEnd();
  return `${paragraph}\n\n`.repeat(Math.ceil((1 << 20) / (paragraph.length + 2)));
}

async function startBareServer(textPath: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "bare-grpc-server.ts"), textPath], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /listening on (\S+)/.exec(chunk.toString())?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return Object.assign(child, { address });
}
