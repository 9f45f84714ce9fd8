import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Peer } from "./peer.ts";

/** Answers stand in lines of their own behind this mark, because peers write to stdout as they please. */
const answerMark = "@@answer ";

interface Running {
  readonly child: ChildProcess;
  readonly lines: Interface;
}

/** One process of a peer. A file that takes too long, or that the process dies of, ends it; the next file starts another. */
export class PeerProcess {
  readonly #peer: Peer;
  readonly #timeLimitMs: number;
  #running: Running | undefined;

  constructor(peer: Peer, timeLimitMs: number) {
    this.#peer = peer;
    this.#timeLimitMs = timeLimitMs;
  }

  async convert(path: string): Promise<Answer> {
    const { child, lines } = (this.#running ??= this.#start());
    child.stdin?.write(`${JSON.stringify(path)}\n`);
    const patience = new AbortController();
    const { signal } = patience;
    try {
      return await Promise.race([answerOf(lines, signal), endOf(child, signal), this.#timeOut(signal)]);
    } catch (error) {
      return this.#fail(error instanceof Error ? error.message : String(error));
    } finally {
      patience.abort();
    }
  }

  async stop(): Promise<void> {
    const child = this.#running?.child;
    this.#running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  #start(): Running {
    const [file, ...args] = this.#peer.command;
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"] });
    // A peer that dies while it is written to is told of by `exit`.
    child.stdin.on("error", () => undefined);
    return { child, lines: createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }) };
  }

  async #fail(error: string): Promise<Answer> {
    await this.stop();
    return { error, cpuMs: 0, peakKib: 0 };
  }

  async #timeOut(signal: AbortSignal): Promise<never> {
    await sleep(this.#timeLimitMs, undefined, { signal });
    throw new Error(`took longer than ${this.#timeLimitMs / 1000} s`);
  }
}

async function answerOf(lines: Interface, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const listen = (line: string): void => {
      if (line.startsWith(answerMark)) resolve(JSON.parse(line.slice(answerMark.length)) as Answer);
    };
    lines.on("line", listen);
    signal.addEventListener("abort", () => lines.off("line", listen));
  });
}

async function endOf(child: ChildProcess, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const tell = (code: number | null, name: NodeJS.Signals | null): void => {
      reject(new Error(`its process ended with ${name ?? `status ${code}`}`));
    };
    child.once("exit", tell);
    child.once("error", reject);
    signal.addEventListener("abort", () => {
      child.off("exit", tell);
      child.off("error", reject);
    });
  });
}
