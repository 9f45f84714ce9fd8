import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseSupervisorMessage, type SupervisorMessage } from "@attune/service-kit/supervisor-messages.ts";
import { RestartDelay } from "./restart-delay.ts";
import { writeLines } from "./write-lines.ts";

/** A program to keep running. It ends when its IPC channel does (exit-with-parent.ts), and tells over it when it is ready. */
export interface ServiceDefinition {
  /** Stands before its lines. */
  readonly name: string;
  /** Arguments of Node: options, file, arguments of the program. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long it may take to end after SIGTERM. */
  readonly drainTimeoutMs: number;
}

export interface ServiceEvents {
  readonly write: (line: string) => void;
  readonly onMessage: (service: string, message: SupervisorMessage) => void;
  /** The service says that it cannot run as it is configured, which no restart mends. */
  readonly onRefusal: (service: string) => void;
}

/** Status of a program whose configuration is wrong. */
const refusalStatus = 2;
/** How long the output of a process that has ended is waited for. */
const lastLinesMs = 1000;

/** Runs one service, and runs it again, a little later each time, whenever it ends by itself. */
export class SupervisedService {
  readonly #definition: ServiceDefinition;
  readonly #events: ServiceEvents;
  readonly #delay = new RestartDelay();
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #wasReady = false;

  constructor(definition: ServiceDefinition, events: ServiceEvents) {
    this.#definition = definition;
    this.#events = events;
  }

  start(): void {
    const { name, arguments: args, environment } = this.#definition;
    const startMs = performance.now();
    // In a group of its own: Ctrl-C reaches the supervisor alone, which stops everything in order.
    const child = spawn(process.execPath, args, {
      env: { ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    this.#child = child;
    if (child.stdout !== null) writeLines(child.stdout, name, this.#events.write);
    if (child.stderr !== null) writeLines(child.stderr, name, this.#events.write);
    child.on("message", (raw) => this.#hear(raw));
    child.once("error", (error) => this.#onEnd(error.message, performance.now() - startMs));
    void endOf(child).then((how) => this.#onEnd(how, performance.now() - startMs));
  }

  /** Asks it to end, and ends it with all its processes when it takes longer than it may. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = endOf(child);
    child.kill("SIGTERM");
    const timer = setTimeout(() => {
      this.#events.write(`[${this.#definition.name}] did not end in ${this.#definition.drainTimeoutMs} ms: killed`);
      killGroup(child);
    }, this.#definition.drainTimeoutMs);
    await ended;
    clearTimeout(timer);
  }

  #hear(raw: unknown): void {
    const message = parseSupervisorMessage(raw);
    if (message === undefined) return;
    this.#wasReady ||= message.type === "ready";
    this.#events.onMessage(this.#definition.name, message);
  }

  #onEnd(how: number | string, ranMs: number): void {
    const { name } = this.#definition;
    if (this.#isStopping || this.#timer !== undefined) return;
    if (how === refusalStatus && !this.#wasReady) {
      this.#events.onRefusal(name);
      return;
    }
    const delayMs = this.#delay.next(ranMs);
    this.#events.write(`[${name}] ended with ${how}; it is started again in ${delayMs} ms`);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, delayMs);
  }
}

/**
 * The exit status or the signal, once the last lines have come; what holds the output open beyond the process does not hold
 * this up for long.
 */
async function endOf(child: ChildProcess): Promise<number | string> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  const how = await new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "")),
  );
  await Promise.race([closed, sleep(lastLinesMs, undefined, { ref: false })]);
  return how;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // it has just ended
  }
}
