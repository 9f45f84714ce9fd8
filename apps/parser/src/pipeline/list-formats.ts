import type { Format } from "../readers/format.ts";
import { defaultValues, type EngineRegistry } from "./engine-registry.ts";

export interface SupportedFormat {
  readonly name: string;
  readonly description: string;
}

/** The formats that some engine available now reads, by name. */
export async function listFormats(
  formats: readonly Format[],
  engines: EngineRegistry,
  signal: AbortSignal,
): Promise<readonly SupportedFormat[]> {
  const listed = await listEngines(engines, signal);
  const readable = new Set(listed.filter(({ isAvailable }) => isAvailable).flatMap((engine) => engine.formats));
  return formats
    .filter(({ name }) => readable.has(name))
    .map(({ name, description, extensions }) => ({ name, description: describe(description, extensions) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

const maxShown = 8;

function describe(description: string, extensions: readonly string[]): string {
  if (extensions.length === 0) return description;
  const shown = extensions.slice(0, maxShown).map((name) => `.${name}`);
  const more = extensions.length > maxShown ? ` and ${extensions.length - maxShown} more` : "";
  return `${description} (${shown.join(", ")}${more})`;
}

export interface ListedEngine {
  readonly name: string;
  readonly description: string;
  readonly formats: readonly string[];
  readonly isAvailable: boolean;
  /** Why not, and what to do; empty when available. */
  readonly unavailableReason: string;
}

/** All engines with whether each can work now; asked all at once. */
export async function listEngines(engines: EngineRegistry, signal: AbortSignal): Promise<readonly ListedEngine[]> {
  return Promise.all(
    engines.engines.map(async (entry) => {
      const { name, description, formats } = entry.definition;
      const availability = await engines.probe(entry, defaultValues(entry.definition), signal);
      const unavailableReason = availability.isAvailable ? "" : availability.reason;
      return { name, description, formats, isAvailable: availability.isAvailable, unavailableReason };
    }),
  );
}
