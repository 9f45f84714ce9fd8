import { join } from "node:path";
import { createInterface } from "node:readline";
import { createId } from "@attune/service-kit/create-id.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import { createEngineLog, type EngineLog } from "../create-engine-log.ts";
import type { EngineProcess, EngineProcesses } from "../engine-process.ts";

/** Makes the Python environment when it is first needed. */
export interface PythonSetup {
  /** Begins, unless it is at it, or failed less than a minute ago. */
  readonly begin: () => void;
  /** How far it is, or why it failed, as a sentence or two; undefined when it was not begun or is done. */
  story(): string | undefined;
  /** How often an environment was made. */
  readonly timesDone: number;
  /** Ends it; what was made by then is left for the next time. */
  close(): Promise<void>;
}

export interface PythonSetupPorts {
  readonly processes: EngineProcesses;
  /** Prints a line for each step, and what failed to standard error; may be killed at any time and run again. */
  readonly command: { readonly program: string; readonly args: readonly string[] };
  /** Of the agent. */
  readonly environment: Environment;
  /** Absolute; there is `python-setup.log` in it. */
  readonly folder: string;
  readonly logger: Logger;
  /** Milliseconds after a failure in which it is not tried again; default a minute. */
  readonly pauseMs?: number;
}

/** What pip needs to reach its index where that is not reached directly. */
const networkVariables = /^(?:PIP_\w+|(?:https?|all|no)_proxy|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE)$/i;

interface Attempt {
  readonly startMs: number;
  /** The last line that it printed. */
  step: string;
  failure: { readonly why: string; readonly atMs: number } | undefined;
}

export function createPythonSetup(ports: PythonSetupPorts): PythonSetup {
  const { pauseMs = 60_000, folder, logger } = ports;
  let attempt: Attempt | undefined;
  let timesDone = 0;
  let running: Promise<void> | undefined;
  let child: EngineProcess | undefined;
  let isClosed = false;

  const run = async (current: Attempt): Promise<void> => {
    const log = createEngineLog(join(folder, "python-setup.log"));
    try {
      child = await start(ports, log);
      if (isClosed) await child.end(0);
      for await (const line of createInterface({ input: child.stdout })) {
        log.note(line);
        current.step = line.trim() || current.step;
        logger.info({ step: current.step }, "the Python environment is being set up");
      }
      const { code, signal } = await child.exited;
      if (code !== 0) throw new Error(lastWords(log) ?? `it ended with ${signal ?? `status ${code}`}`);
      timesDone++;
      attempt = undefined;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      const why = /[.!?]$/.test(said) ? said : `${said}.`;
      current.failure = { why, atMs: performance.now() };
      logger.warn({ why }, "the Python environment was not set up");
    } finally {
      child = undefined;
      await log.close();
    }
  };

  return {
    begin: () => {
      const failedMs = attempt?.failure?.atMs;
      const isPausing = failedMs !== undefined && performance.now() - failedMs < pauseMs;
      if (isClosed || running !== undefined || isPausing) return;
      attempt = { startMs: performance.now(), step: "it starts", failure: undefined };
      running = run(attempt).finally(() => (running = undefined));
    },
    story: () => (attempt === undefined ? undefined : tell(attempt, folder)),
    get timesDone() {
      return timesDone;
    },
    close: async () => {
      isClosed = true;
      await child?.end(1000);
      await running;
    },
  };
}

function start({ processes, command, environment, folder }: PythonSetupPorts, log: EngineLog): Promise<EngineProcess> {
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && networkVariables.test(name) ? [[name, value]] : [],
    ),
  );
  return processes.start({ ...command, env, gpus: [], sessionId: createId(), folder, log, hasEvents: true });
}

function tell({ startMs, step, failure }: Attempt, folder: string): string {
  if (failure === undefined) {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    return `The Python environment is being set up, for ${seconds} s now: ${step}. Try again in a minute.`;
  }
  const log = join(folder, "python-setup.log");
  return `Setting up the Python environment failed: ${failure.why} All that was said is in ${log}. Mend it and try again, or run npm run setup:python.`;
}

/** The last line that is not the agent's own note of a step. */
const lastWords = (log: EngineLog): string | undefined =>
  log.tail(50).findLast((line) => line.trim() !== "" && !line.startsWith("attune: "));
