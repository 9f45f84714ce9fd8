import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { type KeptLease, type LeaseState, writeLeaseFile } from "./lease-file.ts";
import { createLease, type GpuClaim, nextToken } from "./rebuild-leases.ts";

/** The leases in memory and on the disk, the same in both but for renewals. Changes must come one after another. */
export interface LeaseBook {
  leases(): readonly KeptLease[];
  find(holder: string): KeptLease | undefined;
  /** @throws AppError GPU_LEASES_UNSAVED, and then nothing is changed. */
  add(claim: GpuClaim, nowMs: number, expiresAtMs: number): Promise<KeptLease>;
  /** What is given back is given back, whether that can be written down now or later. */
  remove(leases: readonly KeptLease[]): Promise<void>;
  replace(lease: KeptLease): Promise<void>;
  renew(holder: string, token: number, expiresAtMs: number): void;
}

export function createLeaseBook(
  first: LeaseState,
  { path, logger }: { readonly path: string; readonly logger: Logger },
): LeaseBook {
  let state = first;
  const find = (holder: string): KeptLease | undefined => state.leases.find((lease) => lease.holder === holder);
  const exchange = (old: KeptLease | undefined, lease: KeptLease): void => {
    state = { ...state, leases: state.leases.map((each) => (each === old ? lease : each)) };
  };
  // A start drops leases whose holders are gone, so that nothing is lost where this cannot be written.
  async function writeIfPossible(): Promise<void> {
    try {
      await writeLeaseFile(path, state);
    } catch (error) {
      logger.warn({ error, path }, "GPUs were given back, and that could not be written down");
    }
  }
  return {
    leases: () => state.leases,
    find,
    async add(claim, nowMs, expiresAtMs) {
      const lastToken = nextToken(state.lastToken, nowMs);
      const lease = createLease(claim, lastToken, { nowMs, expiresAtMs });
      const written = { lastToken, leases: [...state.leases, lease] };
      try {
        await writeLeaseFile(path, written);
      } catch (error) {
        // The token may be on the disk, so that nobody else may ever get it.
        state = { ...state, lastToken };
        const { code = "unknown error" } = error as NodeJS.ErrnoException;
        throw new AppError("GPU_LEASES_UNSAVED", { detail: `The system says ${code}.` }, error);
      }
      state = { lastToken, leases: [...state.leases, lease] };
      return lease;
    },
    async remove(leases) {
      const holders = new Set(leases.map(({ holder }) => holder));
      state = { ...state, leases: state.leases.filter(({ holder }) => !holders.has(holder)) };
      await writeIfPossible();
    },
    async replace(lease) {
      exchange(find(lease.holder), lease);
      await writeIfPossible();
    },
    renew(holder, token, expiresAtMs) {
      const lease = find(holder);
      if (lease === undefined || lease.token !== token || lease.isReleased)
        throw new AppError("LEASE_LOST", { detail: `Holder ${holder}.` });
      exchange(lease, { ...lease, expiresAtMs });
    },
  };
}
