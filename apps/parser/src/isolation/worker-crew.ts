import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { cleanDiagnostic, stripControls } from "./clean-diagnostic.ts";
import { causeOfDeath, describeExit, type WorkerExit } from "./exit-cause.ts";
import type { PoolCounters, RestartCause } from "./pool-stats.ts";
import { createWaitingLine } from "./waiting-line.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** A worker that is ready, and what the crew knows of it. */
export interface CrewMember {
  readonly worker: WorkerProcess;
  readonly readyAtMs: number;
  documents: number;
  state: "idle" | "busy" | "gone";
  /** Its replacement has been asked for; it works on until that one is ready. */
  isRetiring: boolean;
  /** Its replacement is ready; it ends after the document it has. */
  isDismissed: boolean;
}

export interface CrewSettings {
  readonly workers: number;
  readonly maxQueued: number;
  readonly startTimeoutMs: number;
}

export interface CrewDeps {
  readonly settings: CrewSettings;
  readonly counters: PoolCounters;
  readonly startWorker: () => WorkerProcess;
  readonly warn: (message: string, diagnostic?: string) => void;
  /** How long a caller refused now had better wait. */
  readonly estimateWaitMs: () => number;
}

const firstDelayMs = 100;
const longestDelayMs = 30_000;
/** A worker that lived this long has shown that workers can. */
const provenLifeMs = 60_000;
/** How long the end of killed workers is waited for; one stuck in the kernel must not keep us. */
const lastWaitMs = 5000;
/** So many failed starts in a row, with no worker alive, and callers are told instead of left waiting. */
const hopelessStarts = 3;

/**
 * Keeps a number of workers alive and lends them out, one document each. A worker that dies is replaced: at once when a
 * document killed it, with growing pauses when it died by itself or did not start.
 */
export class WorkerCrew {
  readonly #deps: CrewDeps;
  readonly #members = new Set<CrewMember>();
  readonly #starting = new Set<WorkerProcess>();
  readonly #delays = new Set<NodeJS.Timeout>();
  readonly #living = new Set<Promise<WorkerExit>>();
  readonly #line;
  #failuresInARow = 0;
  #isClosed = false;

  constructor(deps: CrewDeps) {
    this.#deps = deps;
    this.#line = createWaitingLine<CrewMember>(deps.settings.maxQueued);
    this.#fill();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get ready(): number {
    return this.#members.size;
  }

  get busy(): number {
    return this.#countMembers((member) => member.state === "busy");
  }

  get queued(): number {
    return this.#line.length;
  }

  /**
   * Lends a worker; give it back with `release` or `discard`. A caller that comes back after a death (`isRetry`) goes to the
   * head of the line, whatever its length.
   * @throws AppError `QUEUE_FULL`, `SHUTTING_DOWN`, `ENGINE_UNAVAILABLE`; the reason of `signal` when it aborts.
   */
  async acquire(isRetry: boolean, signal: AbortSignal): Promise<CrewMember> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new AppError("SHUTTING_DOWN");
    const idle = [...this.#members].findLast((member) => member.state === "idle");
    if (idle !== undefined) {
      idle.state = "busy";
      return idle;
    }
    if (this.#isHopeless) throw this.#startFailure();
    if (!isRetry && this.#line.isFull) {
      throw new AppError("QUEUE_FULL", { retryAfterMs: this.#deps.estimateWaitMs() });
    }
    return this.#line.wait(isRetry, signal);
  }

  release(member: CrewMember, mustRecycle: boolean): void {
    this.#failuresInARow = 0;
    if (member.state === "gone") return;
    if (member.isDismissed || this.#isClosed) {
      this.#dismiss(member);
      return;
    }
    if (mustRecycle && !member.isRetiring) {
      member.isRetiring = true;
      this.#deps.counters.recycled += 1;
      this.#fill();
    }
    this.#offer(member);
  }

  /** Kills a worker whose document is not to go on, or counts one that has died of it; another is started at once. */
  discard(member: CrewMember, cause: RestartCause): void {
    if (!this.#members.delete(member)) return;
    member.state = "gone";
    this.#deps.counters.restarts[cause] += 1;
    member.worker.kill();
    this.#fill();
  }

  /** Refuses who waits, lets running documents end within the grace, then kills what is left. Resolves when all are gone. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    for (const delay of this.#delays) clearTimeout(delay);
    this.#line.rejectAll(new AppError("SHUTTING_DOWN"));
    for (const worker of this.#starting) worker.kill();
    for (const member of this.#members) if (member.state === "idle") this.#dismiss(member);
    const timer = setTimeout(() => {
      for (const member of this.#members) this.#dismiss(member);
    }, graceMs);
    await Promise.race([this.#waitForAll(), sleep(graceMs + lastWaitMs, undefined, { ref: false })]);
    clearTimeout(timer);
  }

  async #waitForAll(): Promise<void> {
    while (this.#living.size > 0) await Promise.all(this.#living);
  }

  #fill(): void {
    const lasting = this.#countMembers((member) => !member.isRetiring);
    const missing = this.#deps.settings.workers - lasting - this.#starting.size - this.#delays.size;
    for (let count = 0; count < missing && !this.#isClosed; count += 1) this.#startAfter(this.#delayMs);
  }

  get #delayMs(): number {
    return this.#failuresInARow === 0 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#failuresInARow - 1));
  }

  #startAfter(delayMs: number): void {
    if (delayMs === 0) {
      this.#start();
      return;
    }
    const delay = setTimeout(() => {
      this.#delays.delete(delay);
      this.#start();
    }, delayMs);
    this.#delays.add(delay);
  }

  #start(): void {
    const { counters, settings, startWorker } = this.#deps;
    const startedAtMs = performance.now();
    const worker = startWorker();
    this.#starting.add(worker);
    this.#follow(worker);
    const timer = setTimeout(() => worker.kill(), settings.startTimeoutMs);
    void worker.ready.then(async (message) => {
      clearTimeout(timer);
      this.#starting.delete(worker);
      if (message?.kind !== "ready") {
        worker.kill();
        this.#onFailedStart(await worker.exited);
        return;
      }
      counters.lastStartMs = performance.now() - startedAtMs;
      counters.startFailure = undefined;
      this.#onReady({
        worker,
        readyAtMs: performance.now(),
        documents: 0,
        state: "idle",
        isRetiring: false,
        isDismissed: false,
      });
    });
  }

  #follow(worker: WorkerProcess): void {
    this.#living.add(worker.exited);
    void worker.exited.then(() => this.#living.delete(worker.exited));
  }

  #onReady(member: CrewMember): void {
    if (this.#isClosed) {
      member.worker.kill();
      return;
    }
    this.#members.add(member);
    void member.worker.exited.then((exit) => this.#onExit(member, exit));
    const retiring = [...this.#members].find(({ isRetiring, isDismissed }) => isRetiring && !isDismissed);
    if (retiring !== undefined) {
      retiring.isDismissed = true;
      if (retiring.state === "idle") this.#dismiss(retiring);
    }
    this.#offer(member);
  }

  // A busy worker's death is told to its caller, who counts it by what the document did.
  #onExit(member: CrewMember, exit: WorkerExit): void {
    if (member.state !== "idle" || !this.#members.delete(member)) return;
    member.state = "gone";
    this.#deps.counters.restarts.idle += 1;
    this.#failuresInARow = performance.now() - member.readyAtMs > provenLifeMs ? 1 : this.#failuresInARow + 1;
    this.#deps.warn(`an idle worker ended: ${describeExit(exit)}`, cleanDiagnostic(exit.stderr));
    this.#fill();
  }

  #onFailedStart(exit: WorkerExit): void {
    if (this.#isClosed) return;
    const { counters, warn } = this.#deps;
    this.#failuresInARow += 1;
    counters.restarts.start += 1;
    counters.startFailure = `${describeExit(exit)}${causeOfDeath(exit) === "memory" ? ", out of memory" : ""}`;
    warn(`a worker did not start: ${counters.startFailure}`, stripControls(exit.stderr));
    if (this.#isHopeless) this.#line.rejectAll(this.#startFailure());
    this.#fill();
  }

  get #isHopeless(): boolean {
    return this.#members.size === 0 && this.#failuresInARow >= hopelessStarts;
  }

  #startFailure(): AppError {
    return new AppError("ENGINE_UNAVAILABLE", { detail: "The worker processes of this service do not start." });
  }

  #offer(member: CrewMember): void {
    member.state = this.#line.give(member) ? "busy" : "idle";
  }

  #dismiss(member: CrewMember): void {
    this.#members.delete(member);
    member.state = "gone";
    member.worker.kill();
  }

  #countMembers(is: (member: CrewMember) => boolean): number {
    let count = 0;
    for (const member of this.#members) if (is(member)) count += 1;
    return count;
  }
}
