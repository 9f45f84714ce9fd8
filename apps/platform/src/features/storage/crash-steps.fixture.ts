import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { createId } from "@attune/service-kit/create-id.ts";
import { sql } from "drizzle-orm";
import { startStorage, type StartedStorage, type StorageAddress } from "./start-storage.fixture.ts";

/** This file, to be run with a `CrashOrder` as JSON. */
export const crashProgram = import.meta.filename;

export interface CrashOrder {
  readonly address: StorageAddress;
  readonly tenantId: string;
  /** `in parts`: also an object so large that S3 stages and copies it. `sweep`: only removes what others left. */
  readonly work: "write and remove" | "in parts" | "sweep";
  /** The process kills itself at the so-manieth step; 0: never. */
  readonly crashAt: number;
}

/** One line of what it tells: a step that was reached, or what a caller was told or asked for. */
export type CrashLine =
  | { readonly step: string }
  | { readonly wrote: string; readonly sha256: string }
  | { readonly removing: readonly string[] }
  | { readonly removed: readonly string[] };

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "{}") as CrashOrder);

async function run({ address, tenantId, work, crashAt }: CrashOrder): Promise<void> {
  let steps = 0;
  const crashPoint = async (step: string) => {
    tell({ step });
    if (++steps !== crashAt) return;
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => {});
  };
  await using started = await startStorage(address, { crashPoint });
  if (work === "sweep") await started.storage.sweep();
  else await writeAndRemove(started, tenantId, work === "in parts");
}

async function writeAndRemove(started: StartedStorage, tenantId: string, isParted: boolean): Promise<void> {
  const inline = await write(started, { tenantId, body: Buffer.from("small enough for the database") });
  const object = await write(started, { tenantId, body: Buffer.alloc(100_000, createId()) });
  const written = [inline, object];
  if (isParted) written.push(await write(started, { tenantId, body: Buffer.alloc(9 * 2 ** 20, createId()) }));
  await write(started, { tenantId, body: Buffer.alloc(50_000, createId()), failure: "no commit" }).catch(() => {});
  await remove(started, tenantId, written);
}

interface CrashContent {
  readonly tenantId: string;
  readonly body: Buffer;
  /** Why the transaction fails at its end. */
  readonly failure?: string;
}

async function write(started: StartedStorage, { tenantId, body, failure }: CrashContent): Promise<string> {
  const owner = { kind: "test", id: createId() };
  const file = { tenantId, owner, mediaType: "text/plain", body };
  const id = await started.storage.writeFile(file, async (tx, stored) => {
    await tx.execute(sql`insert into crash_owners (file_id) values (${stored.id})`);
    if (failure !== undefined) throw new Error(failure);
    return stored.id;
  });
  tell({ wrote: id, sha256: createHash("sha256").update(body).digest("hex") });
  return id;
}

async function remove({ storage, database }: StartedStorage, tenantId: string, fileIds: string[]): Promise<void> {
  tell({ removing: fileIds });
  const removal = await database.transaction(async (tx) => {
    for (const id of fileIds) await tx.execute(sql`delete from crash_owners where file_id = ${id}`);
    return storage.removeFiles(tx, { tenantId, fileIds });
  });
  tell({ removed: fileIds });
  await removal.finish();
}

// At once, so that nothing of it is lost with the process.
function tell(line: CrashLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
