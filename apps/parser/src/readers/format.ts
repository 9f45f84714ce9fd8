import type { ReadDocument } from "./reader.ts";
import type { Probe } from "../detection/probe.ts";

/**
 * One file type: how it is named, recognised and read.
 *
 * A reader's folder has this in `format.ts`, which must stay light: the service process loads it to detect types, and only
 * workers call `load`. Adding a format is that folder and one line in `formats.ts`.
 */
export interface Format {
  /** Canonical lower-case name, unique; what `ParseResponse.file_type` says. */
  readonly name: string;
  /** What GetSupportedFormats tells a person, for example `Word document`. */
  readonly description: string;
  /** Lower case, without the dot, the usual one first; `tar.gz` is allowed. */
  readonly extensions: readonly string[];
  /** Lower case, the registered one first. */
  readonly mediaTypes: readonly string[];
  /**
   * How sure the bytes make us that the file has this format, from 0 (no sign) to 1 (cannot be another). Absent for formats
   * that bytes alone cannot tell from plain text; those are chosen by name. Must be cheap and never throw.
   * Scale: 1 own signature or declared type; 0.8 signature shared with rare others; 0.5 a strong habit of the format;
   * 0.2 a weak one.
   */
  readonly sniff?: (probe: Probe) => number;
  /** Set for formats whose files are text of some encoding, so that a text file with this name is believed. */
  readonly isText?: boolean;
  /** Set where the reader takes `ReaderInput.file`, so that a large file need not lie in the memory of its worker. */
  readonly isReadInParts?: true;
  /** What a person can do with a file of this type where no engine reads it: one sentence. */
  readonly remedy?: string;
  /** Absent when `builtin` cannot read it and only other engines may. */
  readonly load?: () => Promise<ReadDocument>;
}
