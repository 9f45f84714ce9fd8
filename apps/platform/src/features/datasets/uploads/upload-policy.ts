/** Bounds of uploads that arrive piece by piece. */
export interface UploadPolicy {
  readonly maxBytes: number;
  /** Unfinished ones that a user may have in a tenant. */
  readonly maxOpen: number;
  /** Silence of whoever completes one, after which another may. */
  readonly leaseMs: number;
  /** How long one is kept that nobody goes on with. */
  readonly unfinishedMs: number;
  /** Silence of a sender after which the connection is given up. */
  readonly stallMs: number;
}
