import { resolve } from "node:path";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { ParserConfig } from "./config.ts";
import * as engineModules from "./engines.ts";
import type { EngineDefinition } from "./engines/engine.ts";
import { createCommandRecogniser } from "./engines/tesseract/create-command-recogniser.ts";
import * as formatModules from "./formats.ts";
import { createWorkerPool, type WorkerPool } from "./isolation/create-worker-pool.ts";
import { createOutboundHttp } from "./outbound/guarded-http.ts";
import { defaultOutboundSettings } from "./outbound/outbound-settings.ts";
import { createEngineRegistry, type EngineRegistry } from "./pipeline/engine-registry.ts";
import { createFetchFile } from "./pipeline/fetch-file.ts";
import { listEngines, listFormats, type ListedEngine, type SupportedFormat } from "./pipeline/list-formats.ts";
import { createParseDocument, type ParseDocument } from "./pipeline/parse-document.ts";
import { createGroupGuard, type GroupGuard } from "./process/group-guard.ts";
import type { Recogniser } from "./ocr/recogniser.ts";
import { createRunCommand } from "./process/run-command.ts";
import type { Format } from "./readers/format.ts";
import { createSources } from "./sources.ts";
import { defaultHttpSourceSettings } from "./sources/http/http-source.ts";
import { defaultS3SourceSettings } from "./sources/s3/s3-source.ts";
import { createSpool, defaultSpoolMemoryBytes } from "./spool/create-spool.ts";

const formats: readonly Format[] = Object.values(formatModules);
const definitions: readonly EngineDefinition[] = Object.values(engineModules);

/** Everything that parses, however it is called. */
export interface Parser {
  readonly parseDocument: ParseDocument;
  readonly pool: WorkerPool;
  listFormats(signal: AbortSignal): Promise<readonly SupportedFormat[]>;
  listEngines(signal: AbortSignal): Promise<readonly ListedEngine[]>;
  /** Lets documents under way end within `graceMs`, then frees everything. */
  close(graceMs: number): Promise<void>;
}

/** Makes the parser out of its parts. @throws Error when the isolation demanded cannot be had, or the work folder not. */
export async function assembleParser(config: ParserConfig, logger: Logger): Promise<Parser> {
  const { fetch, limits, workers } = config;
  // One watcher for workers and programs alike: when this process dies, by kill -9 too, it ends them all.
  const guard = createGroupGuard();
  const http = createOutboundHttp({ ...defaultOutboundSettings, allowedHosts: fetch.allowedHosts });
  const spool = await createSpool({
    workDirectory: fetch.workDirectory,
    maxBytes: fetch.maxBytes,
    memoryBytes: defaultSpoolMemoryBytes,
  });
  await using starting = new AsyncDisposableStack();
  starting.defer(() => spool.close());
  const recogniser = makeRecogniser(config, guard);
  const pool = await createWorkerPool(
    {
      workers: workers.count,
      // Admission bounds what is in the house; the pool's own line never refuses first.
      maxQueued: workers.count + workers.queueLength,
      isolation: workers.isolation,
      memoryMib: workers.memoryMib,
      limits,
      maxTimeoutMs: limits.timeoutMs,
      recycleAfterDocuments: workers.documents,
      ...(!workers.isWarm && { warmFormats: [], isCompiledAhead: false }),
    },
    { logger, guard, recogniser },
  );
  const engines = registerEngines(config, {
    readIsolated: pool.read,
    http,
    runCommand: createRunCommand({ guard, concurrency: workers.count, hiddenPaths: foldersToHide(fetch) }),
    findReaderFault: () => pool.stats().startFailure,
    timeoutMs: (options) => Math.min(options.timeoutMs ?? limits.timeoutMs, limits.timeoutMs),
  });
  const fetchFile = createFetchFile({
    sources: createSources(sourcesSettings(fetch), { http }),
    spool,
    timeoutMs: fetch.timeoutMs,
  });
  starting.move();
  const judgeUrl = (url: string, signal: AbortSignal): Promise<void> => http.judge(url, signal);
  return {
    parseDocument: createParseDocument({ fetchFile, judgeUrl, formats, engines }),
    pool,
    listFormats: (signal) => listFormats(formats, engines, signal),
    listEngines: (signal) => listEngines(engines, signal),
    close: async (graceMs) => {
      await pool.close(graceMs);
      await Promise.all([http.close(), spool.close()]);
    },
  };
}

// With turns of its own: a worker that waits for OCR must not wait for the programs of engines, which may wait for a worker.
function makeRecogniser({ fetch, workers, engines }: ParserConfig, guard: GroupGuard): Recogniser {
  const runCommand = createRunCommand({ guard, concurrency: workers.count, hiddenPaths: foldersToHide(fetch) });
  return createCommandRecogniser({ runCommand, file: String(engines["PARSER_TESSERACT_PATH"]) });
}

// Programs see the file they work on and nothing that others sent. The whole machine cannot be hidden from them.
function foldersToHide({ workDirectory, fileRoots }: ParserConfig["fetch"]): readonly string[] {
  return [workDirectory, ...fileRoots].filter((folder) => resolve(folder) !== resolve("/"));
}

type EngineTools = Omit<Parameters<EngineDefinition["create"]>[0], "settings">;

function registerEngines({ engines }: ParserConfig, tools: EngineTools): EngineRegistry {
  return createEngineRegistry(
    definitions.map((definition) => {
      const settings = Object.fromEntries(Object.keys(definition.settings).map((key) => [key, engines[key]]));
      return { definition, engine: definition.create({ ...tools, settings }) };
    }),
  );
}

function sourcesSettings({
  timeoutMs,
  maxBytes,
  fileRoots,
  isHardLinkAllowed,
  s3,
}: ParserConfig["fetch"]): Parameters<typeof createSources>[0] {
  return {
    http: { ...defaultHttpSourceSettings, timeoutMs },
    s3: { ...defaultS3SourceSettings, ...s3, secretAccessKey: s3.secretAccessKey?.reveal() },
    file: { roots: fileRoots, isHardLinkAllowed },
    data: { maxBytes },
  };
}
