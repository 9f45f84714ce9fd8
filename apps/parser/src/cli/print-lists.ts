import type { ListedEngine, SupportedFormat } from "../pipeline/list-formats.ts";

/** One line for each format. */
export function printFormats(formats: readonly SupportedFormat[]): string {
  const width = Math.max(...formats.map(({ name }) => name.length));
  return formats.map(({ name, description }) => `${name.padEnd(width)}  ${description}\n`).join("");
}

/** A few lines for each engine: whether it is available, and if not, why and what to do. */
export function printEngines(engines: readonly ListedEngine[]): string {
  return engines
    .map((engine) => {
      const state = engine.isAvailable ? "available" : `not available: ${engine.unavailableReason}`;
      return `${engine.name}: ${state}\n  ${engine.description}\n  reads ${engine.formats.join(", ")}\n`;
    })
    .join("");
}
