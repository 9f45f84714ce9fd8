import type { OverrideSet } from "../overrides/override.ts";
import type { ParseOptions } from "../overrides/parse-options.ts";
import type { ReadingKey } from "../overrides/reading-keys.ts";
import type { Recogniser } from "../ocr/recogniser.ts";
import type { OutboundHttp } from "../outbound/outbound-http.ts";
import type { ParseClock } from "./parse-clock.ts";
import type { RunCommand } from "./run-command.ts";
import type * as z from "zod";

/** A fetched file, ready to be parsed. Lives until the call that fetched it ends. */
export interface Source {
  readonly sizeBytes: number;
  /** The caller's name for it, without folders; may be empty. */
  readonly fileName: string;
  /** Canonical format, as detected. */
  readonly format: string;
  /** Charset that came with the file. */
  readonly charset?: string;
  readBytes(): Promise<Uint8Array>;
  /** The file from its start, in pieces, each valid until the next is asked for; absent when `readBytes` costs no more. */
  readonly readChunks?: () => AsyncIterable<Uint8Array>;
  /** Opens the file for a look here and there; absent with `readChunks`. */
  readonly openForAccess?: () => Promise<BytesAccess>;
  /** A regular file of this process, for programs that want a path; named without the caller's doing. */
  toPath(): Promise<string>;
}

/** What the isolated readers make of a file: the finished answer, already rendered as the caller wants it. */
export interface ParsedText {
  /** UTF-8. */
  readonly content: Uint8Array;
  /** Unicode code points of `content`. */
  readonly contentLength: number;
  /** Whether there are no words at all; pictures, markers and metadata are none. */
  readonly isEmpty: boolean;
  /** Sentences for `ParseResponse.message`, in order. */
  readonly warnings: readonly string[];
}

/** Bytes that lie elsewhere until they are needed. */
export interface StoredBytes {
  readonly sizeBytes: number;
  /** All of them from the start, as often as asked; a piece is valid until the next is asked for. */
  readChunks(): AsyncIterable<Uint8Array>;
  /** Opens them for a look here and there, where that is possible. */
  readonly openForAccess?: () => Promise<BytesAccess>;
}

/** Stored bytes of which only what is asked for is read, until it is disposed. */
export interface BytesAccess extends AsyncDisposable {
  /** The bytes from `offset` on, fewer than `length` where they end before. */
  readAt(offset: number, length: number): Uint8Array;
}

export interface Readable {
  /** Stored ones are read when a worker is there to take them, so that documents may wait without lying in memory. */
  readonly bytes: Uint8Array | StoredBytes;
  readonly fileName: string;
  readonly format: string;
  readonly charset?: string;
  /** What reads its pictures of text, instead of the recogniser of the service. */
  readonly recogniser?: Recogniser;
}

/** Reads and renders in an isolated worker process, under the limits of the service. */
export type ReadIsolated = (input: Readable, options: ParseOptions, signal: AbortSignal) => Promise<ParsedText>;

/** Whether an engine can work now; the reason says what is missing and how to get it. */
export type Availability = { readonly isAvailable: true } | { readonly isAvailable: false; readonly reason: string };

/** Values of the engine's own overrides, by key; validated. */
export type EngineValues = Readonly<Record<string, unknown>>;

export interface EngineRequest {
  readonly source: Source;
  readonly options: ParseOptions;
  readonly values: EngineValues;
  /** Runs since parsing began, through all engines that are tried. */
  readonly clock: ParseClock;
}

/**
 * A way to get text out of files. Every implementation passes `engine.contract.ts`.
 */
export interface ParseEngine {
  /**
   * Answers within two seconds and never throws; `values` are those of the request that asks, or the defaults.
   */
  probe(values: EngineValues, signal: AbortSignal): Promise<Availability>;
  /**
   * @throws AppError with a reason of scope `document`. Stops all its work when `signal` aborts.
   */
  parse(request: EngineRequest, signal: AbortSignal): Promise<ParsedText>;
}

/** What an engine may use. */
export interface EngineDeps<TSettings> {
  /** The engine's slice of the configuration. */
  readonly settings: TSettings;
  readonly readIsolated: ReadIsolated;
  /** Guarded HTTP: the hosts of `settings` are trusted, addresses of overrides are judged. */
  readonly http: OutboundHttp;
  readonly runCommand: RunCommand;
  /** Why no worker can be started at present, so that nothing can be read; undefined when all is well. */
  readonly findReaderFault?: () => string | undefined;
  /**
   * Milliseconds that a request may take altogether: what the caller asked for, within the service's limit. What is left of
   * them tells the request's `clock`.
   */
  readonly timeoutMs: (options: ParseOptions) => number;
}

/**
 * The common keys that change what is read and that the engine follows: for all its formats, or for those named. The caller is
 * told of each other key that he gave and that had no effect.
 */
export type Honours = { readonly [Key in ReadingKey]?: true | readonly string[] };

/**
 * Everything the service knows of an engine before it is created. An engine's folder exports one from `engine.ts`;
 * adding an engine is that folder and one line in `engines.ts`.
 */
export interface EngineDefinition<TSettings extends z.ZodRawShape = z.ZodRawShape> {
  /** Lower case with underscores, as `parser_engine` gives it. */
  readonly name: string;
  readonly description: string;
  /** Canonical names of formats. */
  readonly formats: readonly string[];
  /** Order of preference when the caller names no engine, lowest first; undefined: only by name. */
  readonly rank: number | undefined;
  /** Environment variables of the engine, each with a description. */
  readonly settings: TSettings;
  readonly overrides: OverrideSet;
  readonly honours: Honours;
  create(deps: EngineDeps<z.infer<z.ZodObject<TSettings>>>): ParseEngine;
}

/** Gives `create` the type of its settings, then forgets it, so that definitions of all engines fit in one list. */
export function defineEngine<TSettings extends z.ZodRawShape>(
  definition: EngineDefinition<TSettings>,
): EngineDefinition {
  return definition;
}
