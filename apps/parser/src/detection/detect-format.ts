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

/** The format of a file: certain bytes, then the hints as far as the bytes allow them, then likely bytes. */
export function detectFormat(probe: Probe, hints: TypeHints, formats: readonly Format[]): Detection | undefined {
  const scored = formats
    .map((format) => ({ format, score: format.sniff?.(probe) ?? 0 }))
    .sort((a, b) => b.score - a.score);
  const best = scored[0];
  const hinted = findHinted(hints, formats);
  if (best !== undefined && best.score >= certain) {
    const top = scored.filter(({ score }) => score === best.score);
    const format = (hinted !== undefined && top.find((entry) => entry.format === hinted)?.format) || best.format;
    return contradiction(format, hinted, scored);
  }
  if (hinted !== undefined && isPossible(hinted, probe)) return { format: hinted };
  const likely = best !== undefined && best.score > 0 ? best.format : plainText(probe, formats);
  return likely && contradiction(likely, hinted, scored);
}

function contradiction(
  format: Format,
  hinted: Format | undefined,
  scored: readonly { format: Format; score: number }[],
): Detection {
  const hintScore = scored.find((entry) => entry.format === hinted)?.score ?? 0;
  return hinted === undefined || hinted === format || hintScore >= certain
    ? { format }
    : { format, contradictedHint: hinted };
}

// A text format is possible wherever there is text; a binary one only when its own signature says at least something.
function isPossible(format: Format, probe: Probe): boolean {
  if (format.isText === true) return probe.headText !== undefined;
  return format.sniff === undefined || format.sniff(probe) > 0;
}

function plainText(probe: Probe, formats: readonly Format[]): Format | undefined {
  return probe.headText === undefined ? undefined : formats.find(({ name }) => name === "txt");
}

function findHinted(hints: TypeHints, formats: readonly Format[]): Format | undefined {
  return (
    (hints.fileType && findFormat(hints.fileType, formats)) ||
    (hints.fileName && findByFileName(hints.fileName, formats)) ||
    (hints.mediaType && findFormat(hints.mediaType, formats)) ||
    undefined
  );
}

/** The format that a name, an extension with or without the dot, or a media type stands for, in any case. */
export function findFormat(type: string, formats: readonly Format[]): Format | undefined {
  const wanted = type.trim().toLowerCase().split(";")[0]?.trim().replace(/^\./, "") ?? "";
  return (
    formats.find(({ name }) => name === wanted) ??
    formats.find(({ extensions }) => extensions.includes(wanted)) ??
    formats.find(({ mediaTypes }) => mediaTypes.includes(wanted))
  );
}

function findByFileName(fileName: string, formats: readonly Format[]): Format | undefined {
  const lower = fileName.toLowerCase();
  const candidates = formats.flatMap((format) => format.extensions.map((extension) => ({ format, extension })));
  return candidates
    .filter(({ extension }) => lower.endsWith(`.${extension}`) || lower === extension)
    .sort((a, b) => b.extension.length - a.extension.length)[0]?.format;
}
