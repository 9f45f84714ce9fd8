import { type WorkerEvent, workerEvent, workerProtocol } from "@attune/contracts/compute/worker-events.ts";

/** What stands for a line that is no event: its beginning, as a log line. */
export interface ProtocolLine {
  readonly type: "log";
  readonly level: "protocol";
  readonly message: string;
}

export type ParsedLine =
  | { readonly kind: "event"; readonly event: WorkerEvent }
  | { readonly kind: "unreadable"; readonly line: ProtocolLine }
  /** A worker of another version; what it says cannot be understood. */
  | { readonly kind: "other_protocol"; readonly version: string };

const shownCharacters = 1000;

/** Reads one line of events.ndjson. Never throws. */
export function parseEventLine(text: string, isCut: boolean): ParsedLine {
  const value = isCut ? undefined : parseJson(text);
  const version = foreignVersion(value);
  if (version !== undefined) return { kind: "other_protocol", version };
  const parsed = workerEvent.safeParse(value);
  if (parsed.success) return { kind: "event", event: parsed.data };
  return { kind: "unreadable", line: { type: "log", level: "protocol", message: text.slice(0, shownCharacters) } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function foreignVersion(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { v, type, protocol } = value as { v?: unknown; type?: unknown; protocol?: unknown };
  if (type !== "hello") return undefined;
  const foreign = [v, protocol].filter((version) => typeof version === "number").find((n) => n !== workerProtocol);
  return foreign?.toString();
}
