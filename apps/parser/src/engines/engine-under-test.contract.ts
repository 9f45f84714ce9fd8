import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { loadSettings } from "@attune/service-kit/load-config.ts";
import type { WorkerPool } from "../isolation/create-worker-pool.ts";
import { createOutboundHttp } from "../outbound/guarded-http.ts";
import { defaultOutboundSettings } from "../outbound/outbound-settings.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { createRunCommand } from "../process/run-command.ts";
import type { EngineDefinition, EngineRequest, ParsedText, ParseEngine, Source } from "./engine.ts";
import { ParseClock } from "./parse-clock.ts";

export type Environment = Readonly<Record<string, string>>;

export interface GivenDocument {
  readonly format: string;
  readonly bytes: Uint8Array;
  readonly overrides?: Readonly<Record<string, string>>;
}

/** An engine as the service makes it, with loopback open to the addresses that a caller gives. */
export function createEngine(definition: EngineDefinition, environment: Environment, pool: WorkerPool): ParseEngine {
  return definition.create({
    settings: loadSettings(definition.settings, environment, "PARSER_"),
    readIsolated: pool.read,
    http: createOutboundHttp({ ...defaultOutboundSettings, allowedHosts: ["127.0.0.1"] }),
    runCommand: createRunCommand(),
    timeoutMs: ({ timeoutMs }) => timeoutMs ?? 60_000,
  });
}

export function requestFor(
  definition: EngineDefinition,
  { format, bytes, overrides = {} }: GivenDocument,
): EngineRequest {
  const { options, byEngine } = readOverrides(overrides, new Map([[definition.name, definition.overrides]]));
  const values = byEngine.get(definition.name) ?? {};
  return { source: sourceOf(format, bytes), options, values, clock: new ParseClock() };
}

function sourceOf(format: string, bytes: Uint8Array): Source {
  return {
    format,
    fileName: "",
    sizeBytes: bytes.length,
    readBytes: async () => bytes,
    toPath: async () => {
      const path = `${await mkdtemp(`${tmpdir()}/source-`)}/document`;
      await writeFile(path, bytes);
      return path;
    },
  };
}

export const textOf = ({ content }: ParsedText): string => Buffer.from(content).toString("utf8");

export async function failureOf(parsing: Promise<ParsedText>): Promise<unknown> {
  return parsing.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
}

export async function until(holds: () => Promise<boolean>, timeoutMs = 5000): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > endsAtMs) throw new Error(`not within ${timeoutMs} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
