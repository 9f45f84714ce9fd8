import type { FamilyGuard } from "../../process/guard-family.ts";
import type { SampleBoard } from "../sampling/create-sample-board.ts";
import { type Followed, followProgram } from "../sampling/follow-program.ts";
import { explainSmiEnd } from "./explain-smi-end.ts";
import { createSeenApps } from "./seen-apps.ts";

const query = ["--query-compute-apps=gpu_uuid,pid,used_memory", "--format=csv,noheader,nounits"];

interface AppsDeps {
  readonly board: SampleBoard;
  readonly intervalMs: number;
  readonly guard: FamilyGuard;
  readonly ask: (args: readonly string[]) => Promise<string>;
}

export interface FollowedApps extends Followed {
  /** Resolves when the processes were seen for the first time, or cannot be seen. */
  readonly first: Promise<void>;
}

/** Puts the processes that use GPUs on the board, as long as `nvidia-smi` tells them. */
export function followApps(program: string, { board, intervalMs, guard, ask }: AppsDeps): FollowedApps {
  const apps = createSeenApps(intervalMs);
  const first = Promise.withResolvers<void>();
  let isNoted = false;
  let isSeen = false;
  const show = (): void => board.postProcesses(isSeen ? apps.list() : null);
  show();
  const follower = followProgram({
    id: `gpu-processes-${process.pid}`,
    guard,
    prepare: async () => {
      // A single call tells also that there are none.
      for (const line of (await ask(query)).split("\n")) apps.take(line.trim());
      isSeen = true;
      show();
      first.resolve();
      return { program, args: [...query, "-lms", String(intervalMs)] };
    },
    onLine(line) {
      if (!apps.take(line)) return false;
      show();
      return true;
    },
    onEnd(end) {
      board.note(`Which processes use the GPUs cannot be seen: ${explainSmiEnd(program, end)}`);
      isNoted = true;
      isSeen = false;
      show();
      first.resolve();
    },
  });
  const timer = setInterval(() => {
    show();
    if (!isNoted || follower.runningForMs() < 3 * intervalMs) return;
    board.note(null);
    isNoted = false;
  }, intervalMs).unref();
  return {
    first: first.promise,
    runningForMs: () => follower.runningForMs(),
    stop() {
      clearInterval(timer);
      return follower.stop();
    },
  };
}
