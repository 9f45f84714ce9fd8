import type { Readable, Writable } from "node:stream";
import type { EngineLog } from "./create-engine-log.ts";

export interface EngineCommand {
  /** Absolute, or a name on the PATH of the agent. */
  readonly program: string;
  readonly args: readonly string[];
  /** Added to what every worker gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Indices of the GPUs that it may see; none is the CPU. */
  readonly gpus: readonly number[];
  /** Carried by all its processes as ATTUNE_RUN_ID. */
  readonly sessionId: string;
  /** Absolute; carried as ATTUNE_RUN_DIR. */
  readonly folder: string;
  readonly log: EngineLog;
  /** Whether standard output is read by the engine's adapter; else it goes to the log, as standard error always does. */
  readonly hasEvents: boolean;
}

export interface EngineExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The leader of a process group that does not outlive the agent. */
export interface EngineProcess {
  readonly pid: number;
  readonly stdin: Writable;
  /** What the leader writes; nothing unless the command has events. */
  readonly stdout: Readable;
  readonly log: EngineLog;
  /** Resolves when the leader has ended, what it left has been killed, and what was written has been read. */
  readonly exited: Promise<EngineExit>;
  /**
   * Ends all its processes: SIGTERM, and after the grace time SIGKILL. Resolves when none of them lives.
   * @throws AppError MODEL_UNLOAD_INCOMPLETE
   */
  end(graceMs: number): Promise<void>;
}

export interface EngineProcesses {
  /** @throws AppError ENGINE_UNAVAILABLE when the program cannot be started */
  start(command: EngineCommand): Promise<EngineProcess>;
  /** Ends the guard; call it when no engine is left. */
  close(): void;
}
