import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { EventPaths } from "../process/bound-events.ts";
import { bootMoment } from "../process/boot-moment.ts";
import { watchChanges } from "../process/watch-changes.ts";
import { createEventListener, type EventListener } from "./event-listener.ts";
import type { MappedCause } from "./map-cause.ts";
import type { RunFact } from "./next-run.ts";
import type { RunHost } from "./run-host.ts";
import type { RunSettings } from "./run-settings.ts";
import { createStopLadder } from "./stop-ladder.ts";
import type { StoredRun } from "./stored-run.ts";

export interface WatchDeps {
  readonly host: RunHost;
  readonly paths: EventPaths;
  /** Bounds its events where no launcher does. @returns why it cannot go on, or undefined. */
  readonly boundEvents: () => Promise<MappedCause | undefined>;
  readonly settings: RunSettings;
  readonly logger: Logger;
  /** Milliseconds that only ever grow, whatever is done to the clock. */
  readonly monotonicMs: () => number;
  /** The run as it is now. */
  readonly read: () => StoredRun;
  readonly apply: (fact: RunFact) => void;
  /** Writes the run down when there is something new. Never throws. */
  readonly keep: () => Promise<void>;
  /** Called when no process is left and all it said is heard. @returns whether the run has ended now. */
  readonly settle: () => Promise<boolean>;
  /** Looks after the run's GPUs. @returns why it cannot go on with them, or undefined. */
  readonly lookAfterGpus: () => Promise<MappedCause | undefined>;
}

export interface RunWatch {
  /** Looks at once, because something was asked of the run. */
  wake(): void;
  /** Whether nothing has been heard for so long that it is called stale. */
  isStale(): boolean;
  /** Resolves when the run has ended, or the watch was broken off. Never rejects. */
  readonly done: Promise<void>;
}

/** Follows a run from its start to its end. An aborted signal leaves its processes alone. */
export function watchRun(deps: WatchDeps, signal: AbortSignal): RunWatch {
  const { host, paths, settings, monotonicMs, read } = deps;
  const { heard, scheduler } = read();
  const isLocal = scheduler === "local";
  const listener = createEventListener({ paths, offset: heard.offset, isLocal, monotonicMs });
  const ladder = createStopLadder({ host, settings, monotonicMs });
  const changes = watchChanges(paths.events);
  let waking = new AbortController();
  let isBehind = false;
  const look = createLook(deps, {
    listener,
    climb: (run) => ladder.climb(run),
    tellBehind: (isNow) => (isBehind = isNow),
  });
  const follow = async () => {
    while (!signal.aborted) {
      // Before the look, so that what is asked during it is seen by the next one at once.
      waking = new AbortController();
      if (await look()) break;
      if (!isBehind) await changes.next(AbortSignal.any([signal, waking.signal]));
    }
    changes.close();
    await listener.close();
  };
  return {
    wake: () => waking.abort(),
    isStale: () => monotonicMs() - listener.lastHeardMs() > settings.staleMs,
    done: follow().catch((error: unknown) => {
      deps.logger.error({ error, path: paths.events }, "A run is followed no more");
    }),
  };
}

interface LookParts {
  readonly listener: EventListener;
  readonly climb: (run: StoredRun) => Promise<string | undefined>;
  /** Whether there is more to hear at once. */
  readonly tellBehind: (isBehind: boolean) => void;
}

/** One look at a run; true when it has ended. What fails is told and tried again at the next look. */
function createLook(deps: WatchDeps, { listener, climb, tellBehind }: LookParts): () => Promise<boolean> {
  const { host, read, apply, logger } = deps;
  const judgeProgress = createProgressRule(deps, listener);
  let lastFault = "";
  const findCause = async (hostCause: MappedCause | undefined) =>
    hostCause ?? (await deps.boundEvents()) ?? (await deps.lookAfterGpus()) ?? judgeProgress.stallOf(read());
  /** While it is stopped what keeps it from ending is told, and where it stands only as long as not even its place is known. */
  const tellNote = (note: string | null) => {
    const { reason, isStopAsked, reference } = read();
    if (reason !== note && (!isStopAsked || reference === null)) apply({ type: "noted", reason: note });
  };
  const look = async (): Promise<boolean> => {
    // Asked first, so that what a run said before it was gone is heard before it is judged.
    const { isGone, note, cause: hostCause, reference } = await host.look(read());
    const isAllHeard = await hearSome(listener, apply);
    tellBehind(!isAllHeard);
    if (isGone && !isAllHeard) return false;
    if (isGone) {
      for (const fact of listener.hearRest()) apply(fact);
      return deps.settle();
    }
    if (reference !== undefined) {
      apply({ type: "has_reference", reference });
      apply({ type: "noted", reason: null });
    }
    if (note !== undefined) tellNote(note);
    const cause = await findCause(hostCause);
    if (cause !== undefined) apply({ type: "aborted", cause });
    if (read().state === "stopping" || judgeProgress.isLingering(read())) {
      apply({ type: "asked_to_end", moment: bootMoment() });
      const obstacle = await climb(read());
      if (obstacle !== undefined) apply({ type: "noted", reason: obstacle });
    }
    await deps.keep();
    return false;
  };
  return async () => {
    tellBehind(false);
    try {
      return await look();
    } catch (error) {
      const fault = String(error);
      if (fault !== lastFault) logger.error({ error, path: deps.paths.events }, "A run cannot be looked at");
      lastFault = fault;
      return false;
    }
  };
}

/** Facts are heard in parts, of which so many are heard before the run is looked after: a flood has no end. */
const partsAtOnce = 20;

/** @returns whether all was heard that there is. */
async function hearSome(listener: EventListener, apply: (fact: RunFact) => void): Promise<boolean> {
  for (let part = 0; part < partsAtOnce; part++) {
    const { facts, isAtEnd } = await listener.hear();
    for (const fact of facts) apply(fact);
    if (isAtEnd) return true;
  }
  return false;
}

/** Time-outs by a clock that nobody sets. */
function createProgressRule({ settings, monotonicMs }: WatchDeps, listener: EventListener) {
  let lastWordMs: number | undefined;
  return {
    stallOf: ({ stallTimeoutSeconds, state }: StoredRun): MappedCause | undefined => {
      if (stallTimeoutSeconds === null || state === "stopping") return undefined;
      if (monotonicMs() - listener.lastStepMs() <= stallTimeoutSeconds * 1000) return undefined;
      return { cause: "stalled", message: `It made no step within ${stallTimeoutSeconds} seconds.` };
    },
    /** Whether it said its last word long ago, and its processes live on. */
    isLingering: ({ heard }: StoredRun): boolean => {
      if (heard.done === null && heard.error === null) return false;
      lastWordMs ??= monotonicMs();
      return monotonicMs() - lastWordMs > settings.lingerMs;
    },
  };
}
