import { setTimeout as sleep } from "node:timers/promises";
import { isProcessAlive } from "@attune/service-kit/postgres/process-mark.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@attune/service-kit/postgres/start-embedded-postgres.ts";
import { RestartDelay } from "../supervisor/restart-delay.ts";

export interface KeptDatabase {
  /** The same after every restart. */
  readonly url: string;
  readonly pid: () => number;
  stop(): Promise<void>;
}

const pollMs = 500;

/** Runs the embedded database server, and runs it again whenever it ends, until it is stopped. @throws when it does not start. */
export async function keepDatabase(
  folder: string,
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<KeptDatabase> {
  const log = (line: string): void => write(`[database] ${line}`);
  let server = await startEmbeddedPostgres({ folder, log, signal });
  log(server.isAdopted ? `PostgreSQL ran already, process ${server.pid}` : `PostgreSQL runs, process ${server.pid}`);
  const stopping = new AbortController();
  const delay = new RestartDelay();
  const restart = async (ended: EmbeddedPostgres, ranMs: number): Promise<void> => {
    await ended.stop();
    const delayMs = delay.next(ranMs);
    log(`PostgreSQL ended; it is started again in ${delayMs} ms`);
    await sleep(delayMs, undefined, { signal: stopping.signal });
    server = await startEmbeddedPostgres({ folder, log, signal: stopping.signal });
    log(`PostgreSQL runs again, process ${server.pid}`);
  };
  const watch = async (): Promise<void> => {
    let startMs = performance.now();
    while (!stopping.signal.aborted) {
      if (!isProcessAlive(server.pid)) {
        await restart(server, performance.now() - startMs).catch((error: unknown) => logFailure(error, log));
        startMs = performance.now();
      }
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    url: server.url,
    pid: () => server.pid,
    stop: async () => {
      stopping.abort();
      await watching;
      await server.stop();
    },
  };
}

function logFailure(error: unknown, log: (line: string) => void): void {
  if (error instanceof Error && error.name === "AbortError") return;
  log(error instanceof Error ? error.message : String(error));
}
