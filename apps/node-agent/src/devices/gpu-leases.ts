import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";

/** A right to GPUs. It ends when its holder gives it back and no process of the holder lives. */
export interface GpuLease {
  readonly leaseId: string;
  /** `job:<id>` or `inference:<id>`. */
  readonly holder: string;
  readonly gpus: readonly number[];
  /** Greater than that of every earlier lease of this node; what an older holder writes is refused by it. */
  readonly token: number;
  readonly acquiredAtMs: number;
  readonly expiresAtMs: number;
}

export type GpuUse = "free" | "reserved" | "busy" | "foreign" | "faulty";

export interface GpuLeases {
  /**
   * All GPUs of the request or none, at once; a request for the CPU gets a lease of none. The same holder again gets the
   * lease that it has.
   * @returns undefined while they are taken; then the caller asks again at `onRelease`, which it listened to before.
   * @throws AppError GPU_NOT_FOUND when the node has no such GPUs at all; GPU_LEASES_UNSAVED when it cannot be written
   * down, and then it is not given.
   */
  acquire(holder: string, request: GpuRequest): Promise<GpuLease | undefined>;
  /** @throws AppError LEASE_LOST when the token is not the present one of this holder. */
  renew(holder: string, token: number): Promise<void>;
  /**
   * Gives the GPUs back. While a process of the holder lives they stay busy, and are free as soon as none does. Nothing
   * happens when the holder has none.
   */
  release(holder: string): Promise<void>;
  /** All leases that keep GPUs from others, also those whose time is over while a process of the holder lives. */
  list(): readonly GpuLease[];
  /** Derived from leases, processes and the latest sample; stored nowhere. */
  uses(): ReadonlyMap<number, { readonly use: GpuUse; readonly holder: string | null }>;
  /** Called when GPUs became free. @returns a function that stops listening. */
  onRelease(listener: () => void): () => void;
  /** Looks now for leases that are over; also done every second. */
  expire(): Promise<void>;
  /** Ends the timer, when what was begun has been written. The leases stay. */
  close(): Promise<void>;
}
