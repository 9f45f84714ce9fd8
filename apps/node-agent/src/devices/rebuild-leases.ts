import { createId } from "@attune/service-kit/create-id.ts";
import type { KeptLease, LeaseState } from "./lease-file.ts";

/** GPUs that a holder still needs, or that its processes use: what run folders and /proc say when the agent starts. */
export interface GpuClaim {
  readonly holder: string;
  readonly gpus: readonly number[];
}

export interface RebuildRequest {
  readonly kept: LeaseState;
  readonly claims: readonly GpuClaim[];
  readonly isAlive: (holder: string) => boolean;
  readonly nowMs: number;
  readonly ttlMs: number;
}

/** Something that the operator should know of the leases after a start. */
export interface RebuildNote {
  readonly level: "warn" | "error";
  readonly holder: string;
  readonly gpus: readonly number[];
  readonly message: string;
}

/**
 * The leases after a start of the agent. One is kept when a process of its holder lives or the holder claims it, for a new
 * term; a claim that no lease is known of gets one, unless the GPUs are another's. Living processes are facts: theirs is kept
 * even where two of them have the same GPU, and that is told.
 */
export function rebuildLeases(request: RebuildRequest): { state: LeaseState; notes: readonly RebuildNote[] } {
  const { kept, isAlive } = request;
  const notes: RebuildNote[] = [];
  const claimed = new Set(request.claims.map(({ holder }) => holder));
  const expiresAtMs = request.nowMs + request.ttlMs;
  const leases: KeptLease[] = [];
  for (const lease of kept.leases) {
    const isKept = isAlive(lease.holder) || (claimed.has(lease.holder) && !lease.isReleased);
    if (isKept) leases.push({ ...lease, expiresAtMs });
    else notes.push(noteOf("warn", lease, "A lease of GPUs is given back: no process of its holder lives"));
  }
  let { lastToken } = kept;
  const known = new Set(leases.map(({ holder }) => holder));
  const living = request.claims.filter(({ holder }) => isAlive(holder));
  const others = request.claims.filter((claim) => !living.includes(claim));
  for (const claim of [...living, ...others]) {
    if (known.has(claim.holder)) continue;
    const isTaken = claim.gpus.some((index) => leases.some(({ gpus }) => gpus.includes(index)));
    if (isTaken && !living.includes(claim)) {
      notes.push(noteOf("warn", claim, "A holder claims GPUs that another one has; it gets no lease"));
      continue;
    }
    if (isTaken) notes.push(noteOf("error", claim, "Processes of two holders use the same GPU"));
    else notes.push(noteOf("warn", claim, "A lease of GPUs is made anew: its holder was found, and no lease of it"));
    lastToken = nextToken(lastToken, request.nowMs);
    known.add(claim.holder);
    leases.push(createLease(claim, lastToken, { nowMs: request.nowMs, expiresAtMs }));
  }
  return { state: { lastToken, leases }, notes };
}

/** Greater than every token before it, also when the file that knew them was lost. */
export const nextToken = (lastToken: number, nowMs: number): number => Math.max(lastToken + 1, Math.trunc(nowMs));

export function createLease(
  { holder, gpus }: GpuClaim,
  token: number,
  { nowMs, expiresAtMs }: { readonly nowMs: number; readonly expiresAtMs: number },
): KeptLease {
  const sorted = [...new Set(gpus)].toSorted((a, b) => a - b);
  return { leaseId: createId(), holder, gpus: sorted, token, acquiredAtMs: nowMs, expiresAtMs, isReleased: false };
}

const noteOf = (level: RebuildNote["level"], { holder, gpus }: GpuClaim, message: string): RebuildNote => ({
  level,
  holder,
  gpus,
  message,
});
