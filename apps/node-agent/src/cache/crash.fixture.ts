import { writeFileSync, writeSync } from "node:fs";
import { prepareRequest } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type Cache, openCache } from "./cache.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { testLogger, testSettings } from "./test-cache.fixture.ts";

/** This file, to be run with a `CrashOrder` as JSON: an agent's cache that works until it is killed. */
export const crashProgram = import.meta.filename;

export interface CrashOrder {
  readonly root: string;
  readonly request?: unknown;
  /** Requests to accept; when the last one is answered, the process kills itself. */
  readonly accept?: readonly unknown[];
  /** Of these entries, one after the other. */
  readonly verify?: readonly EntryId[];
  readonly remove?: readonly EntryId[];
  /** The process kills itself at the so-manieth step; 0: never. */
  readonly crashAt: number;
  readonly roots?: readonly string[];
  /** At the first step of this name, something else writes so many bytes to the disk. */
  readonly fill?: { readonly at: string; readonly path: string; readonly bytes: number };
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "{}") as CrashOrder);

/** Prints each step, and at last how the entry is. */
async function run(order: CrashOrder): Promise<void> {
  const { root, request, accept, verify = [], remove = [], crashAt, roots = [], fill } = order;
  let steps = 0;
  const step = async (name: string) => {
    writeSync(1, `step ${name}\n`);
    if (name === fill?.at) writeFileSync(fill.path, Buffer.alloc(fill.bytes));
    if (++steps === crashAt) await crash();
  };
  const settings = { ...testSettings, roots };
  const cache = await openCache({ root, settings, logger: testLogger, listUses: () => [], step });
  if (accept !== undefined) {
    for (const one of accept) await cache.prepare(prepareRequest.parse(one));
    await crash();
  }
  if (request !== undefined) await prepare(request, cache);
  for (const id of verify) {
    await cache.verify(id);
    await cache.settled(id);
  }
  for (const id of remove) await cache.remove(id);
  await cache.close();
}

async function crash(): Promise<void> {
  process.kill(process.pid, "SIGKILL");
  // It is heard a moment later.
  await new Promise(() => {});
}

async function prepare(request: unknown, cache: Cache): Promise<void> {
  const wanted = prepareRequest.parse(request);
  const id = await cache.prepare(wanted).catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    const entries = (await cache.list()).items.length;
    writeSync(1, `end ${JSON.stringify({ state: "refused", failure: { reason: error.reason }, entries })}\n`);
  });
  if (id === undefined) return;
  await cache.settled(id);
  const { state, failure } = await cache.get(id);
  writeSync(1, `end ${JSON.stringify({ state, failure })}\n`);
}
