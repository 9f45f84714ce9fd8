import { writeFileSync, writeSync } from "node:fs";
import { prepareRequest } from "@attune/contracts/compute/cache-api.ts";
import { openCache } from "./cache.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { testLogger, testSettings } from "./test-cache.fixture.ts";

/** This file, to be run with a `CrashOrder` as JSON: an agent's cache that works until it is killed. */
export const crashProgram = import.meta.filename;

export interface CrashOrder {
  readonly root: string;
  readonly request?: unknown;
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
async function run({ root, request, verify = [], remove = [], crashAt, roots = [], fill }: CrashOrder): Promise<void> {
  let steps = 0;
  const step = async (name: string) => {
    writeSync(1, `step ${name}\n`);
    if (name === fill?.at) writeFileSync(fill.path, Buffer.alloc(fill.bytes));
    if (++steps !== crashAt) return;
    process.kill(process.pid, "SIGKILL");
    // It is heard a moment later.
    await new Promise(() => {});
  };
  const settings = { ...testSettings, roots };
  const cache = await openCache({ root, settings, logger: testLogger, listUses: () => [], step });
  if (request !== undefined) {
    const id = await cache.prepare(prepareRequest.parse(request));
    await cache.settled(id);
    const { state, failure } = await cache.get(id);
    writeSync(1, `end ${JSON.stringify({ state, failure })}\n`);
  }
  for (const id of verify) {
    await cache.verify(id);
    await cache.settled(id);
  }
  for (const id of remove) await cache.remove(id);
  await cache.close();
}
