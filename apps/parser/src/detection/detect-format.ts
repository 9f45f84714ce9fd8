import type { Format } from "../readers/format.ts";
import type { Probe } from "./probe.ts";

/** What came with the file, in falling order of trust. */
export interface TypeHints {
  /** `ParseRequest.file_type`: an extension with or without the dot, or a media type. */
  readonly fileType?: string;
  readonly fileName?: string;
  /** Media type told by the server or the enclosing file. */
  readonly mediaType?: string;
}

export interface Detection {
  readonly format: Format;
  /** The format that a hint named when the bytes say otherwise. */
  readonly contradictedHint?: Format;
}

// Bytes this sure win over any hint; less sure ones only break a tie or fill a gap.
const certain = 0.8;

/**
 * The format of a file: certain bytes, then the hints as far as the bytes allow them, then likely bytes. Undefined when the
 * bytes are no text and no format knows them. Never throws.
 */
export function detectFormat(probe: Probe, hints: TypeHints, formats: readonly Format[]): Detection | undefined {
  const scores = new Map(formats.map((format) => [format, sniff(format, probe)]));
  const scored: Scored = { scores, probe };
  const hinted = findHinted(hints, scored);
  const best = highest(formats, scores, hinted);
  if (best !== undefined && scoreOf(best, scored) >= certain) return toDetection(best, hinted, scored);
  const possible = hinted.find((format) => isPossible(format, scored));
  if (possible !== undefined) return toDetection(possible, hinted, scored);
  const likely = best ?? plainText(scored);
  return likely && toDetection(likely, hinted, scored);
}

interface Scored {
  readonly scores: ReadonlyMap<Format, number>;
  readonly probe: Probe;
}

// A sniffer that trips over hostile bytes has seen no sign of its format.
function sniff(format: Format, probe: Probe): number {
  try {
    return format.sniff?.(probe) ?? 0;
  } catch {
    return 0;
  }
}

function scoreOf(format: Format, { scores }: Scored): number {
  return scores.get(format) ?? 0;
}

// The surest format; between equally sure ones the one that a hint names.
function highest(
  formats: readonly Format[],
  scores: ReadonlyMap<Format, number>,
  hinted: readonly Format[],
): Format | undefined {
  const top = Math.max(0, ...scores.values());
  if (top === 0) return undefined;
  const equals = formats.filter((format) => scores.get(format) === top);
  return hinted.find((format) => equals.includes(format)) ?? equals[0];
}

function toDetection(format: Format, [first]: readonly Format[], scored: Scored): Detection {
  const isAgreed = first === undefined || first === format || scoreOf(first, scored) >= certain;
  return isAgreed ? { format } : { format, contradictedHint: first };
}

// A text format is possible wherever there is text; a binary one only when its own signature says at least something.
function isPossible(format: Format, scored: Scored): boolean {
  if (format.isText === true) return scored.probe.headText !== undefined;
  return format.sniff === undefined || scoreOf(format, scored) > 0;
}

function plainText({ scores, probe }: Scored): Format | undefined {
  return probe.headText === undefined ? undefined : [...scores.keys()].find(({ name }) => name === "txt");
}

// What each hint stands for, the most trusted first.
function findHinted({ fileType, fileName, mediaType }: TypeHints, scored: Scored): readonly Format[] {
  const formats = [...scored.scores.keys()];
  return [
    fileType && findFormat(fileType, formats),
    fileName && findByFileName(fileName, scored),
    mediaType && findFormat(mediaType, formats),
  ].filter((format): format is Format => typeof format === "object");
}

/** The format that a name, an extension with or without the dot, or a media type stands for, in any case. */
export function findFormat(type: string, formats: readonly Format[]): Format | undefined {
  const wanted = type.trim().toLowerCase().split(";")[0]?.trim().replace(/^\./, "") ?? "";
  return (
    formats.find(({ name }) => name === wanted) ??
    formats.find(({ extensions }) => extensions.includes(wanted)) ??
    formats.find(({ mediaTypes }) => mediaTypes.includes(wanted)) ??
    findBySuffix(wanted, formats)
  );
}

// `application/geo+json` is JSON whatever else it is (RFC 6839).
function findBySuffix(mediaType: string, formats: readonly Format[]): Format | undefined {
  const suffix = /\/.*\+(json|xml|yaml|zip)$/.exec(mediaType)?.[1];
  return suffix === undefined ? undefined : formats.find(({ name }) => name === suffix);
}

// The longest extension wins, so that `a.tar.gz` is no plain `gz`; formats that share one are told apart by the bytes.
function findByFileName(fileName: string, scored: Scored): Format | undefined {
  const lower = (fileName.split(/[/\\]/).at(-1) ?? "").toLowerCase().trim();
  let found: { readonly format: Format; readonly length: number } | undefined;
  for (const format of scored.scores.keys()) {
    const fitting = format.extensions.filter((extension) => lower.endsWith(`.${extension}`) || lower === extension);
    const length = Math.max(0, ...fitting.map((extension) => extension.length));
    const isBetter =
      length > (found?.length ?? 0) ||
      (found !== undefined && length === found.length && scoreOf(format, scored) > scoreOf(found.format, scored));
    if (length > 0 && isBetter) found = { format, length };
  }
  return found?.format;
}
