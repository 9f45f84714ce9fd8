import { readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { writeFileWhole } from "../process/write-file-whole.ts";
import type { GpuLease } from "./gpu-leases.ts";

/** A lease as it is kept; `isReleased`: its holder gave it back while a process of it lived. */
export interface KeptLease extends GpuLease {
  readonly isReleased: boolean;
}

export interface LeaseState {
  /** The greatest token that was ever given. */
  readonly lastToken: number;
  readonly leases: readonly KeptLease[];
}

export type ReadLeases =
  | { readonly kind: "state"; readonly state: LeaseState }
  | { readonly kind: "absent" }
  | { readonly kind: "corrupt"; readonly why: string; readonly keptAs: string };

const count = z.int().nonnegative();
const fileSchema = z.strictObject({
  version: z.literal(1),
  last_token: count,
  leases: z.array(
    z.strictObject({
      lease_id: z.string().min(1),
      holder: z.string().min(1),
      gpus: z.array(count),
      token: count,
      acquired_at_ms: count,
      expires_at_ms: count,
      is_released: z.boolean(),
    }),
  ),
});

/**
 * Reads who has the GPUs. A file that cannot be understood is moved aside under another name, never overwritten.
 * @throws Error when there is a file that cannot be read or moved.
 */
export async function readLeaseFile(path: string): Promise<ReadLeases> {
  await removeLeftovers(path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { kind: "absent" };
    throw error;
  }
  const parsed = parse(text);
  if (typeof parsed !== "string") return { kind: "state", state: parsed };
  const keptAs = `${path}.corrupt-${new Date().toISOString().replaceAll(":", "-")}`;
  await rename(path, keptAs);
  return { kind: "corrupt", why: parsed, keptAs };
}

/** What a process that was killed while it wrote has left. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name.endsWith(".part"));
  await Promise.all(names.map((name) => rm(join(folder, name))));
}

/** @returns the state, or what is wrong with the text. */
function parse(text: string): LeaseState | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { last_token: lastToken, leases } = parsed.data;
  if (leases.some(({ token }) => token > lastToken)) return "a lease has a token that was never given";
  if (new Set(leases.map(({ holder }) => holder)).size < leases.length) return "a holder has two leases";
  return {
    lastToken,
    leases: leases.map((lease) => ({
      leaseId: lease.lease_id,
      holder: lease.holder,
      gpus: lease.gpus,
      token: lease.token,
      acquiredAtMs: lease.acquired_at_ms,
      expiresAtMs: lease.expires_at_ms,
      isReleased: lease.is_released,
    })),
  };
}

/**
 * Writes who has the GPUs so that the file holds the old state or the new one, whenever the process or the machine stops; when
 * it returns, the new one. @throws Error of the file system, and then the old state stands.
 */
export async function writeLeaseFile(path: string, { lastToken, leases }: LeaseState): Promise<void> {
  const file: z.input<typeof fileSchema> = {
    version: 1,
    last_token: lastToken,
    leases: leases.map((lease) => ({
      lease_id: lease.leaseId,
      holder: lease.holder,
      gpus: [...lease.gpus],
      token: lease.token,
      acquired_at_ms: lease.acquiredAtMs,
      expires_at_ms: lease.expiresAtMs,
      is_released: lease.isReleased,
    })),
  };
  await writeFileWhole(path, `${JSON.stringify(file, undefined, 2)}\n`);
}
