import { setTimeout as sleep } from "node:timers/promises";
import { createFamilyGuard } from "../../process/guard-family.ts";
import type { DeviceProvider } from "../device-provider.ts";
import { createSampleBoard, type SampleBoard } from "../sampling/create-sample-board.ts";
import { type Followed, followProgram } from "../sampling/follow-program.ts";
import type { ProviderOptions } from "../sampling/provider-options.ts";
import { createRowCollector } from "./collect-rows.ts";
import { explainSmiEnd } from "./explain-smi-end.ts";
import { followApps } from "./follow-apps.ts";
import { parseSmiRow, type SmiRow } from "./parse-smi-row.ts";
import { runSmi } from "./run-smi.ts";
import { chooseFields, type SmiField } from "./smi-fields.ts";

export interface NvidiaSmiOptions extends ProviderOptions {
  /** Name on the PATH, or a path. */
  readonly program?: string;
}

/** The start does not wait longer for the first look. */
const longestStartMs = 20_000;

type Ask = (args: readonly string[]) => Promise<string>;

/**
 * Reads GPUs from two `nvidia-smi` that run as long as the agent: one tells the figures, one the processes. They are started
 * again when they end; one that runs and says nothing is asked by single calls meanwhile.
 */
export function createNvidiaSmiProvider(options: NvidiaSmiOptions): DeviceProvider {
  const { program = "nvidia-smi", intervalMs } = options;
  const board = createSampleBoard(options);
  const stopping = new AbortController();
  const ask: Ask = (args) => runSmi(program, args, stopping.signal);
  const guard = createFamilyGuard();
  const followed: Followed[] = [];
  let timer: NodeJS.Timeout | undefined;

  return {
    name: "nvidia-smi",
    isSimulated: false,
    async start() {
      const first = Promise.withResolvers<void>();
      const figures = createFigures(board, intervalMs, first.resolve);
      const follower = followProgram({
        id: `gpus-${process.pid}`,
        guard,
        prepare: async () => {
          figures.use(chooseFields(await ask(["--help-query-gpu"])));
          board.tellDriver({ cuda: await askCuda(ask) });
          return { program, args: [...figures.query(), "-lms", String(intervalMs)] };
        },
        onLine: figures.take,
        onEnd: (end) => {
          board.fail(explainSmiEnd(program, end));
          first.resolve();
        },
      });
      const apps = followApps(program, { board, intervalMs, guard, ask });
      followed.push(follower, apps);
      const isRunning = (): boolean => follower.runningForMs() > 0 && !stopping.signal.aborted;
      timer = setInterval(askWhenSilent({ board, intervalMs, figures, isRunning, ask }), intervalMs).unref();
      const late = sleep(longestStartMs, "late", { signal: stopping.signal, ref: false }).catch(() => "stopped");
      if ((await Promise.race([Promise.all([first.promise, apps.first]), late])) === "late")
        board.fail(`${program} has said nothing for ${longestStartMs / 1000} seconds; the driver may hang.`);
    },
    latest: () => board.latest(),
    async close() {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(followed.map((each) => each.stop()));
      guard.close();
    },
  };
}

interface SilenceDeps {
  readonly board: SampleBoard;
  readonly intervalMs: number;
  readonly figures: Figures;
  readonly isRunning: () => boolean;
  readonly ask: Ask;
}

/** Asks by a single call when the program runs and has not been heard of for two intervals. */
function askWhenSilent({ board, intervalMs, figures, isRunning, ask }: SilenceDeps): () => void {
  let isAsking = false;
  return () => {
    if (isAsking || !isRunning() || board.age() < 2 * intervalMs || figures.query().length === 0) return;
    isAsking = true;
    ask(figures.query())
      .then(
        (text) => text.split("\n").forEach((line) => figures.take(line.trim())),
        (error: unknown) => board.fail(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => (isAsking = false));
  };
}

interface Figures {
  readonly use: (fields: readonly SmiField[]) => void;
  /** Arguments of the query; none before the fields are known. */
  readonly query: () => readonly string[];
  /** @returns whether it was a row of a GPU. */
  readonly take: (line: string) => boolean;
}

function createFigures(board: SampleBoard, intervalMs: number, onFirst: () => void): Figures {
  let fields: readonly SmiField[] = [];
  const rows = createRowCollector<SmiRow>({
    quietMs: Math.max(50, intervalMs * 0.75),
    onLook(look) {
      board.tellDriver({ driver: look[0]?.driver ?? null });
      board.post(look.map(({ gpu }) => gpu));
      onFirst();
    },
  });
  return {
    use: (chosen) => {
      fields = chosen;
    },
    query: () =>
      fields.length === 0
        ? []
        : [`--query-gpu=${fields.map(({ name }) => name).join(",")}`, "--format=csv,noheader,nounits"],
    take(line) {
      const row = parseSmiRow(line, fields);
      if (row === undefined) return false;
      rows.add(row.gpu.index, row);
      return true;
    },
  };
}

/** Only drivers from 535 on tell the version of CUDA in this way. */
async function askCuda(ask: Ask): Promise<string | null> {
  const told = await ask(["--version"]).catch(() => "");
  return /CUDA Version\s*:\s*(\d+(?:\.\d+)*)/i.exec(told)?.[1] ?? null;
}
