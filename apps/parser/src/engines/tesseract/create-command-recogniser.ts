import { AppError } from "@attune/service-kit/app-error.ts";
import type { GrayPicture } from "../../ocr/gray-picture.ts";
import type { LanguageList, Recogniser, RecogniseRequest, Recognition } from "../../ocr/recogniser.ts";
import type { CommandResult, RunCommand } from "../run-command.ts";

export interface CommandRecogniserDeps {
  readonly runCommand: RunCommand;
  /** The tesseract command, by name or path. */
  readonly file: string;
}

const noFiles = { readable: [], writable: [] };
/** How long a list of languages is taken to be true. */
const memoryMs = 60_000;
const probeTimeoutMs = 10_000;
const maxListBytes = 1 << 16;
const maxHocrBytes = 32 << 20;
const memoryMib = 2048;

/** The tesseract command (https://tesseract-ocr.github.io/tessdoc/Command-Line-Usage.html), a process for each picture. */
export function createCommandRecogniser({ runCommand, file }: CommandRecogniserDeps): Recogniser {
  let remembered: { readonly list: Promise<LanguageList>; readonly untilMs: number } | undefined;
  const askForLanguages = async (): Promise<LanguageList> => {
    const limits = { timeoutMs: probeTimeoutMs, maxOutputBytes: maxListBytes };
    const probe = { file, args: ["--list-langs"], ...limits, files: noFiles, isProbe: true };
    // It belongs to all who wait for it, so that none of them can take it back.
    return toLanguageList(await runCommand(probe, new AbortController().signal));
  };
  return {
    listLanguages: async () => {
      if (remembered === undefined || remembered.untilMs < performance.now()) {
        remembered = { list: askForLanguages().catch(toMissing), untilMs: performance.now() + memoryMs };
      }
      return remembered.list;
    },
    recognise: async (request, signal) => {
      try {
        return toRecognition(await runCommand(commandFor(file, request), signal));
      } catch (error) {
        signal.throwIfAborted();
        return toFailure(error);
      }
    },
  };
}

// `List of available languages in "/usr/share/…" (3):`, then a name a line.
function toLanguageList({ exitCode, signal, stdout, isTimedOut }: CommandResult): LanguageList {
  const listing = Buffer.from(stdout).toString("utf8");
  const languages = listing.split("\n").filter((line) => /^[A-Za-z_]{3,16}$/.test(line) && line !== "osd");
  if (exitCode === 0 && languages.length > 0 && !isTimedOut) return { languages };
  const how = exitCode === undefined ? `signal ${signal ?? "unknown"}` : `status ${exitCode}`;
  const ended = isTimedOut
    ? `took longer than ${probeTimeoutMs / 1000} s`
    : exitCode === 0
      ? "named none"
      : `ended with ${how}`;
  return { languages: [], fault: `tesseract --list-langs ${ended}` };
}

// A command that is not there has no fault.
function toMissing(error: unknown): LanguageList {
  const isAbsent = error instanceof AppError && error.reason === "ENGINE_UNAVAILABLE";
  return { languages: [], ...(!isAbsent && { fault: "tesseract --list-langs could not be run" }) };
}

function commandFor(file: string, { picture, languages, timeoutMs }: RecogniseRequest): Parameters<RunCommand>[0] {
  const args = ["stdin", "stdout", "-l", languages.join("+"), "--psm", "3", "--dpi", dpiOf(picture), "hocr"];
  // Its own threads cost six times the work on shared cores.
  const env = { OMP_THREAD_LIMIT: "1" };
  const stdin = encodePgm(picture);
  return { file, args, env, stdin, timeoutMs, maxOutputBytes: maxHocrBytes, memoryMib, files: noFiles };
}

// Tesseract takes no others for true.
function dpiOf({ dpi }: GrayPicture): string {
  return String(Math.min(2400, Math.max(70, Math.round(dpi))));
}

/** Portable graymap, binary (https://netpbm.sourceforge.net/doc/pgm.html). */
function encodePgm({ width, height, pixels }: GrayPicture): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1"), pixels]);
}

function toRecognition({ exitCode, signal, stdout, stderr, isTimedOut }: CommandResult): Recognition {
  if (isTimedOut) return { outcome: "timeout" };
  // With one language of several it goes on without the others, and ends well.
  const missing = [...stderr.matchAll(/Failed loading language '([\w+/-]{1,100})'/g)].map(([, language]) => language);
  if (missing.length > 0) {
    const detail = `Tesseract's data for ${[...new Set(missing)].join(", ")} is not installed.`;
    return { outcome: "failed", detail, isUnavailable: true };
  }
  if (exitCode === 0) return { outcome: "read", hocr: Buffer.from(stdout).toString("utf8") };
  if (/out of memory|bad_alloc|Cannot allocate/i.test(stderr))
    return { outcome: "failed", detail: "OCR needed more memory than it may use." };
  const how = exitCode === undefined ? `signal ${signal ?? "unknown"}` : `status ${exitCode}`;
  return { outcome: "failed", detail: `OCR ended with ${how}.` };
}

function toFailure(error: unknown): Recognition {
  const isFlood = error instanceof AppError && error.reason === "LIMIT_EXCEEDED";
  if (isFlood) return { outcome: "failed", detail: "OCR wrote more than a page can hold." };
  return { outcome: "failed", detail: "OCR could not be started.", isUnavailable: true };
}
