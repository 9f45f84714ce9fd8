import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import { endGroup, type ProcessFamily, runIdVariable } from "../process/end-group.ts";
import { createFamilyGuard, type FamilyGuard } from "../process/guard-family.ts";
import { identifyProcess } from "../process/process-identity.ts";
import { workerEnvironment } from "../process/worker-environment.ts";
import type { EngineCommand, EngineExit, EngineProcess, EngineProcesses } from "./engine-process.ts";

/** How long the ends of pipes may take that something else still holds. */
const drainMs = 2000;

/**
 * Starts engines so that they end with the agent, however it ends: each leads a group that a guard watches, and all of its
 * processes carry an id by which they are found wherever they went.
 * @param environment of the agent, of which they get what is allowed
 */
export function createEngineProcesses(environment: Environment): EngineProcesses {
  const guard = createFamilyGuard();
  return {
    start: async (command) => {
      const child = await launch(command, environment);
      // It cannot be undefined once the system has said that it started.
      const pid = child.pid as number;
      guard.add(command.sessionId, pid);
      return follow(child, { command, family: { runId: command.sessionId, leader: identifyProcess(pid) }, guard });
    },
    close: () => guard.close(),
  };
}

async function launch(
  { program, args, env, gpus, sessionId, folder }: EngineCommand,
  environment: Environment,
): Promise<ChildProcessWithoutNullStreams> {
  const own = { [runIdVariable]: sessionId, ATTUNE_RUN_DIR: folder, ATTUNE_PARENT_PID: String(process.pid) };
  try {
    const child = spawn(program, args, {
      cwd: folder,
      env: workerEnvironment({ environment, visibleGpus: gpus.map(String), own: { ...env, ...own } }),
      stdio: "pipe",
      detached: true,
      windowsHide: true,
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
    await once(child, "spawn");
    child.on("error", () => undefined);
    return child;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "an unknown fault";
    throw new AppError("ENGINE_UNAVAILABLE", { detail: `${program} could not be started: ${code}.` }, error);
  }
}

interface Followed {
  readonly command: EngineCommand;
  readonly family: ProcessFamily;
  readonly guard: FamilyGuard;
}

function follow(child: ChildProcessWithoutNullStreams, { command, family, guard }: Followed): EngineProcess {
  const { log, hasEvents, sessionId } = command;
  log.follow(child.stderr);
  if (!hasEvents) log.follow(child.stdout);
  const closed = once(child, "close").catch(() => undefined);
  const end = async (graceMs: number): Promise<void> => {
    const left = await endGroup(family, { graceMs });
    if (left.length > 0) {
      throw new AppError("MODEL_UNLOAD_INCOMPLETE", {
        detail: `Its processes ${left.join(", ")} could not be killed.`,
      });
    }
    guard.remove(sessionId);
  };
  const exited = new Promise<EngineExit>((resolve) => {
    child.once("exit", (code, signal) => {
      const finish = (): void => resolve({ code, signal });
      // Without its leader nothing of an engine has a use, and it would hold the pipes open.
      void end(0)
        .catch((error: unknown) => log.note(String(error)))
        .then(() => Promise.race([closed, sleep(drainMs, undefined, { ref: false })]))
        .then(finish);
    });
  });
  return {
    pid: child.pid as number,
    stdin: child.stdin,
    stdout: hasEvents ? child.stdout : nothing(),
    log,
    exited,
    end,
  };
}

function nothing(): PassThrough {
  return new PassThrough().end();
}
