import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { convertBatch } from "./convert-batch.ts";
import { ours, peersFolder } from "./peers.ts";
import type { Answer, Peer } from "./peer.ts";
import { PeerProcess } from "./peer-process.ts";

const timeLimitMs = 120_000;
/** So many files are worth a batch, of peers that have one. */
const minBatch = 8;

/**
 * What a peer makes of files, by path; files of a type that it does not read are left out. A peer's answers are kept by its
 * version and the file's bytes, so that the next run asks only us; `isFresh` asks everyone again.
 */
export async function convertFiles(
  peer: Peer,
  paths: readonly string[],
  isFresh = false,
): Promise<ReadonlyMap<string, Answer>> {
  const mine = paths.filter((path) => peer.reads.includes(extname(path).slice(1).toLowerCase()));
  const isKept = peer.id !== ours.id;
  const known = new Map(isKept && !isFresh ? mine.flatMap((path) => readKept(peer, path)) : []);
  const missing = mine.filter((path) => !known.has(path));
  const made = missing.length < minBatch ? new Map<string, Answer>() : new Map(convertBatch(peer, missing));
  const process = new PeerProcess(peer, timeLimitMs);
  for (const path of missing) {
    const answer = made.get(path) ?? (await process.convert(path));
    made.set(path, answer);
    if (isKept) writeFileSync(keptPath(peer, path), JSON.stringify(answer));
  }
  await process.stop();
  return new Map(mine.map((path) => [path, known.get(path) ?? made.get(path)!]));
}

function keptPath({ id, version, settings }: Peer, path: string): string {
  const folder = join(peersFolder, "answers", `${id}-${version}`);
  mkdirSync(folder, { recursive: true });
  const hash = createHash("sha256").update(settings).update(readFileSync(path));
  return join(folder, `${hash.digest("hex").slice(0, 32)}.json`);
}

function readKept(peer: Peer, path: string): [string, Answer][] {
  try {
    return [[path, JSON.parse(readFileSync(keptPath(peer, path), "utf8")) as Answer]];
  } catch {
    return [];
  }
}
