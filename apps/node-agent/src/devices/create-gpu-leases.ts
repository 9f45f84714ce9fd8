import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { createFreedNews } from "./create-freed-news.ts";
import { createLeaseBook, type LeaseBook } from "./create-lease-book.ts";
import type { DeviceSample } from "./device-provider.ts";
import type { GpuLease, GpuLeases } from "./gpu-leases.ts";
import { deriveUses, type HolderProcesses, type UseOfGpu } from "./gpu-uses.ts";
import { type KeptLease, type LeaseState, readLeaseFile, writeLeaseFile } from "./lease-file.ts";
import { type GpuClaim, rebuildLeases } from "./rebuild-leases.ts";
import { selectGpus } from "./select-gpus.ts";
import { steadyNow } from "./steady-now.ts";

export interface GpuLeasesDeps {
  /** The file that leases are kept in; its folder exists. */
  readonly path: string;
  readonly devices: { latest(): DeviceSample };
  readonly processes: HolderProcesses;
  /** Asked once, at the start: the holders that are not over, with their GPUs. */
  findClaims(): Promise<readonly GpuClaim[]>;
  readonly logger: Logger;
  /** Milliseconds since 1970, whole. */
  readonly now?: () => number;
  /** How long a lease lasts that is not renewed. */
  readonly ttlMs?: number;
  /** How often it is looked whether leases are over. */
  readonly sweepMs?: number;
}

const defaultTtlMs = 60_000;
const defaultSweepMs = 1000;

/**
 * Takes up the leases that there are, against what lives, and gives new ones. All changes go one after another, and a lease is
 * on the disk before its holder is told of it. Renewals are kept in memory: after a start every lease has a new term.
 * @throws Error when the file of leases cannot be read or written.
 */
export async function createGpuLeases(deps: GpuLeasesDeps): Promise<GpuLeases> {
  const { devices, processes, logger, now = steadyNow, ttlMs = defaultTtlMs, sweepMs = defaultSweepMs } = deps;
  const book = createLeaseBook(await openState(deps, now(), ttlMs), deps);
  const serially = createQueue();
  const uses = (): Map<number, UseOfGpu> => deriveUses(devices.latest(), book.leases(), processes);
  const { onRelease, tellFreed } = createFreedNews(uses, logger);
  const collect = (): Promise<void> => removeOver(book, deps, now());

  async function acquire(holder: string, request: GpuRequest): Promise<GpuLease | undefined> {
    await collect();
    const own = book.find(holder);
    if (own !== undefined) return own.isReleased ? undefined : toLease(own);
    const gpus = selectGpus(request, devices.latest(), uses());
    if (gpus === undefined) return undefined;
    const nowMs = now();
    return toLease(await book.add({ holder, gpus }, nowMs, nowMs + ttlMs));
  }

  async function release(holder: string): Promise<void> {
    const lease = book.find(holder);
    if (lease === undefined) return;
    if (processes.isAlive(holder)) await book.replace({ ...lease, isReleased: true });
    else await book.remove([lease]);
  }

  const change = <T>(step: () => Promise<T>): Promise<T> =>
    serially(async () => {
      try {
        return await step();
      } finally {
        tellFreed();
      }
    });
  const expire = (): Promise<void> => change(collect);
  const look = (): void => {
    expire().catch((error: unknown) => logger.error({ error }, "It cannot be seen which leases of GPUs are over"));
  };
  const timer = setInterval(look, sweepMs).unref();

  return {
    acquire: (holder, request) => change(() => acquire(holder, request)),
    // Waits for no disk: a renewal is written nowhere.
    renew: async (holder, token) => book.renew(holder, token, now() + ttlMs),
    release: (holder) => change(() => release(holder)),
    list: () => book.leases().map(toLease),
    uses,
    onRelease,
    expire,
    close: () => {
      clearInterval(timer);
      return serially(() => Promise.resolve());
    },
  };
}

/** Removes leases that are over, of holders that have no process any more. */
async function removeOver(book: LeaseBook, { processes, logger }: GpuLeasesDeps, nowMs: number): Promise<void> {
  const isOver = ({ isReleased, expiresAtMs, holder }: KeptLease): boolean =>
    (isReleased || expiresAtMs <= nowMs) && !processes.isAlive(holder);
  const over = book.leases().filter(isOver);
  for (const { holder, gpus, isReleased } of over) {
    if (!isReleased)
      logger.warn({ holder, gpus }, "A lease of GPUs was not renewed, and no process of its holder lives");
  }
  if (over.length > 0) await book.remove(over);
}

async function openState(deps: GpuLeasesDeps, nowMs: number, ttlMs: number): Promise<LeaseState> {
  const { path, logger, processes } = deps;
  const read = await readLeaseFile(path);
  if (read.kind === "corrupt") {
    const { why, keptAs } = read;
    logger.error({ path, keptAs, why }, "The file of GPU leases cannot be understood; leases are made from what runs");
  }
  const kept = read.kind === "state" ? read.state : { lastToken: 0, leases: [] };
  const isAlive = (holder: string): boolean => processes.isAlive(holder);
  const { state, notes } = rebuildLeases({ kept, claims: await deps.findClaims(), isAlive, nowMs, ttlMs });
  for (const { level, holder, gpus, message } of notes) logger[level]({ holder, gpus }, message);
  await writeLeaseFile(path, state);
  return state;
}

const toLease = ({ leaseId, holder, gpus, token, acquiredAtMs, expiresAtMs }: KeptLease): GpuLease => ({
  leaseId,
  holder,
  gpus,
  token,
  acquiredAtMs,
  expiresAtMs,
});

/** Steps that wait for each other; one that fails holds none up. */
function createQueue(): <T>(step: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const next = last.then(step, step);
    last = next;
    return next;
  };
}
